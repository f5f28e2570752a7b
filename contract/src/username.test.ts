import { expect, test } from 'vitest'
import { checkUsername, checkUsernameLetters, isUsername } from './username.ts'

test.each([
  ['ab', 'username_too_short'],
  ['abc', null],
  ['a'.repeat(15), null],
  ['a'.repeat(16), 'username_too_long'],
])('a username %s is judged %s', (name, refusal) => {
  expect(checkUsername(name)).toBe(refusal)
})

test.each(['Trader_1', 'a-b-c', '007', 'A1_'])('%s is a username', (name) => {
  expect(checkUsername(name)).toBeNull()
})

test.each(['a b', 'a.b', 'a/b', '%41bc', 'naïve', 'аdmin', 'abc\n', 'abc\u0000'])(
  '%j is no username',
  (name) => {
    expect(checkUsername(name)).toBe('username_invalid')
  },
)

test.each(['_abc', '-abc', '-_-'])('%j has letters of a username and begins wrongly', (name) => {
  expect(checkUsername(name)).toBe('username_beginning')
  expect(isUsername(name)).toBe(false)
})

test.each(['admin', 'Admin', 'SUBSCRIBERS', 'new', 'undefined', 'null', 'Tradepost'])(
  'nobody may be called %s',
  (name) => {
    expect(checkUsername(name)).toBe('username_taken')
    expect(isUsername(name)).toBe(false)
  },
)

/** All but `me`, which is too short. */
const RESERVED =
  'account admin administrator anonymous api auth billing everyone feedback false help leaderboard ' +
  'login logout mail moderator nan new nobody null official operator payment payments postmaster ' +
  'profile root search security settings staff stripe subscribe subscribers subscription subscriptions ' +
  'support system team trade tradepost trader traders true undefined user webhooks'

test('nobody may be called as a route, a role or the word of a program for nothing', () => {
  for (const name of RESERVED.split(' ')) expect(checkUsername(name), name).toBe('username_taken')
})

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
])('nobody may be called %s, which reads like a reserved name', (name) => {
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
])('%s does not read like a reserved name', (name) => {
  expect(checkUsername(name)).toBeNull()
})

test('a person who took a name that only reads like a reserved one before that was refused can still be found', () => {
  expect(isUsername('trader-support')).toBe(true)
  expect(isUsername('trader')).toBe(false)
})

test.each([
  ['', null],
  ['a', null],
  ['Trader_1-', null],
  ['a b', 'username_invalid'],
  ['ä', 'username_invalid'],
  ['_a', 'username_beginning'],
  ['-', 'username_beginning'],
  ['-ä', 'username_invalid'],
] as const)('of %j, still being typed, the letters are judged: %j', (typed, fault) => {
  expect(checkUsernameLetters(typed)).toBe(fault)
})
