import { expect, test } from 'vitest'
import { checkUsername, isUsername } from './username.ts'

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
