import { expect, test } from 'vitest'
import { checkUsername, checkUsernameLetters, isUsername } from './username.ts'

test.each([
  ['ab', 'username_too_short'],
  ['abc', null],
  ['a'.repeat(15), null],
  ['a'.repeat(16), 'username_too_long'],
])('ACC-11 CONST-23: %s -> %s', (name, refusal) => {
  expect(checkUsername(name)).toBe(refusal)
})

test.each(['Trader_1', 'a-b-c', '007', 'A1_'])('ACC-11: %s is a username', (name) => {
  expect(checkUsername(name)).toBeNull()
})

test.each(['_abc', '-abc', 'a b', 'a.b', 'a/b', '%41bc', 'naïve', 'аdmin', 'abc\n', 'abc\u0000'])(
  'ACC-11 NOTIF-08: %j is none',
  (name) => {
    expect(checkUsername(name)).toBe('username_invalid')
  },
)

test.each(['admin', 'Admin', 'SUBSCRIBERS', 'new', 'undefined', 'null', 'Tradepost'])(
  'ACC-09: nobody may be called %s',
  (name) => {
    expect(checkUsername(name)).toBe('username_taken')
    expect(isUsername(name)).toBe(false)
  },
)

test.each([
  'Tradep0st',
  'TRADEP057',
  'trade-post',
  't_r_a_d_e_post',
  'tradepost-fan',
  'MyTradepost',
  'trader-support',
  'trader_5upp0rt',
  'tradersupport',
  'support-team',
  'Adm1n',
  '4dmin',
  'a-d-m-i-n',
  'adm-in',
  'b1ll1ng',
  '8illing',
  'he1p',
  'Off1cial',
  'n-e-w',
  'nu11',
  'support1',
  'admin-2',
  'tr4der5',
])('ACC-09 NOTIF-08: nobody may be called %s, which reads like a reserved name', (name) => {
  expect(checkUsername(name)).toBe('username_taken')
})

test.each([
  'trader1',
  'trader5',
  'user5',
  'payment-5',
  'fx-trader',
  'new-trader',
  'systemtrader',
  'joe-official',
  'support-line',
  'user-12345-3',
  'mall',
  'postmortem',
  'adminton',
  'steam',
  'mentor',
  '007',
  '1234567',
])('ACC-11: %s does not read like a reserved name', (name) => {
  expect(checkUsername(name)).toBeNull()
})

test('ACC-09: who took a name that only reads like a reserved one before that was refused can still be found', () => {
  expect(isUsername('trader-support')).toBe(true)
  expect(isUsername('trader')).toBe(false)
})

test.each([
  ['', null],
  ['a', null],
  ['Trader_1-', null],
  ['a b', 'alphabet'],
  ['ä', 'alphabet'],
  ['_a', 'beginning'],
  ['-', 'beginning'],
  ['-ä', 'alphabet'],
] as const)('ACC-11: of %j, still being typed, the letters are judged: %j', (typed, fault) => {
  expect(checkUsernameLetters(typed)).toBe(fault)
})
