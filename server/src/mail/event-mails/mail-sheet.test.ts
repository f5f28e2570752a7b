import { expect, test } from 'vitest'
import { MailSheet } from './mail-sheet.ts'

const TOKEN = 'AbC-_0123456789abcdefg'
const pieces = () => [
  Buffer.from('From: a\r\nTo:'),
  'recipient' as const,
  Buffer.from('\r\nId: '),
  'mark' as const,
  Buffer.from('\r\n\r\nleave: '),
  'token' as const,
  Buffer.from(' and '),
  'token' as const,
  Buffer.from('\r\n'),
]
/** The first digits of SHA-256, as `echo -n … | sha256sum` prints them. */
const MARK = 'a74ce2fbebf69136a12848d2'

function messageTo(address: string, token = TOKEN, mark = MARK): string {
  return `From: a\r\nTo: <${address}>\r\nId: ${mark}\r\n\r\nleave: ${token} and ${token}\r\n`
}

test('messages to many are written into the same bytes, each whole and with what follows it', () => {
  const sheet = new MailSheet(pieces())
  const memory = new Set<ArrayBufferLike>()
  for (const address of [
    'a@example.com',
    `${'long'.repeat(10)}@example.com`,
    'b@example.com',
    'ü@example.com',
  ]) {
    const bytes = sheet.to({ address, unsubscribeToken: TOKEN }).bytes('.\r\nMAIL FROM:<ü@example.com>\r\n')
    memory.add(bytes.buffer)
    expect(bytes.toString()).toBe(`${messageTo(address)}.\r\nMAIL FROM:<ü@example.com>\r\n`)
  }
  expect(memory.size).toBe(1)
})

test('bytes that somebody still reads are not written over', () => {
  const sheet = new MailSheet(pieces())
  const first = sheet.to({ address: 'a@example.com', unsubscribeToken: TOKEN }).bytes('')
  sheet.leave()
  sheet.to({ address: 'b@example.com', unsubscribeToken: TOKEN }).bytes('')
  expect(first.toString()).toBe(messageTo('a@example.com'))
})

test('a value that is longer than its room gets more, and a token of another length its own place', () => {
  const sheet = new MailSheet(pieces())
  const long = `${'x'.repeat(900)}@example.com`
  sheet.to({ address: 'a@example.com', unsubscribeToken: TOKEN }).bytes('')
  expect(sheet.to({ address: long, unsubscribeToken: TOKEN }).bytes('').toString()).toBe(messageTo(long))
  const behind = 'RCPT'.repeat(500)
  expect(sheet.to({ address: long, unsubscribeToken: TOKEN }).bytes(behind).toString()).toBe(
    messageTo(long) + behind,
  )
  expect(sheet.to({ address: 'a@example.com', unsubscribeToken: 'x' }).bytes('').toString()).toBe(
    messageTo('a@example.com', 'x', '2d711642b726b04401627ca9'),
  )
  expect(sheet.to({ address: 'a@example.com', unsubscribeToken: TOKEN }).bytes('').toString()).toBe(
    messageTo('a@example.com'),
  )
})
