import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { listenForImap } from './imap.ts'
import { returnedMails } from './mailbox.ts'
import { makeReturnedStore } from './returned-store.ts'

const NOW = new Date('2026-03-04T15:00:00.000Z')
const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** A mailbox of two messages, and a client's side of a dialogue with it. */
async function open() {
  const store = makeReturnedStore()
  store.add('first')
  store.add('second message')
  const imap = await listenForImap({ host: '127.0.0.1' }, store)
  closing.push(imap.close)
  const socket = connect(imap.port, '127.0.0.1').setEncoding('latin1')
  const pieces = socket[Symbol.asyncIterator]()
  let count = 0
  await once(socket, 'connect')
  const read = async (until: RegExp) => {
    let received = ''
    while (!until.test(received)) {
      const { done, value } = await pieces.next()
      if (done) break
      received += value
    }
    return received
  }
  const greeting = await read(/\r\n$/)
  const send = (command: string) => {
    count += 1
    socket.write(`a${count} ${command}\r\n`)
    return read(new RegExp(`^a${count} .*\\r\\n`, 'm'))
  }
  return { greeting, send, store }
}

test('a client finds new messages by uid, reads as much of one as it wants, and flags it as seen', async () => {
  const { greeting, send, store } = await open()
  expect(greeting).toBe('* OK [CAPABILITY IMAP4rev1] sandbox\r\n')
  expect(await send('SELECT INBOX')).toBe('a1 NO sign in first\r\n')
  expect(await send('LOGIN "any" "body"')).toBe('a2 OK signed in\r\n')
  expect(await send('UID SEARCH UNSEEN')).toBe('a3 NO select a folder first\r\n')
  expect(await send('SELECT INBOX')).toMatch(/^\* 2 EXISTS\r\n[\s\S]*a4 OK \[READ-WRITE\] selected\r\n$/)
  expect(await send('UID SEARCH UNSEEN')).toBe('* SEARCH 1 2\r\na5 OK done\r\n')
  expect(await send('UID FETCH 2 (UID RFC822.SIZE BODY.PEEK[]<0.6>)')).toBe(
    '* 2 FETCH (UID 2 FLAGS () RFC822.SIZE 14 BODY[]<0> {6}\r\nsecond)\r\na6 OK done\r\n',
  )
  expect(await send('UID STORE 1 +FLAGS (\\Seen)')).toContain('* 1 FETCH (UID 1 FLAGS (\\Seen))\r\n')
  expect(await send('UID SEARCH UNSEEN')).toBe('* SEARCH 2\r\na8 OK done\r\n')
  store.add('third')
  expect(await send('UID SEARCH ALL')).toBe('* SEARCH 1 2 3\r\na9 OK done\r\n')
  expect(await send('EXPUNGE')).toBe('a10 BAD unknown\r\n')
  expect(await send('LOGOUT')).toBe('* BYE until then\r\na11 OK done\r\n')
})

test('mails to bounce.test and complaint.test come back to their envelope sender, others and those without one do not', () => {
  const raw = Buffer.from('Subject: Hello\r\nMessage-ID: <1@a.example>\r\n\r\nWords.\r\n')
  const back = (sender: string, ...recipients: string[]) => returnedMails({ raw, sender, recipients }, NOW)
  const [gone, full, later, angry, ...more] = back(
    'b+1@a.example',
    'Ann@Bounce.test',
    'full+2@bounce.test',
    'later@bounce.test',
    'ann@people.example',
    'cid@complaint.test',
  )
  expect(more).toEqual([])
  expect(gone).toContain('To: <b+1@a.example>\r\n')
  expect(gone).toContain('Content-Type: multipart/report; report-type=delivery-status;')
  expect(gone).toContain('Final-Recipient: rfc822; ann@bounce.test\r\nAction: failed\r\nStatus: 5.1.1\r\n')
  expect(gone).toContain('Subject: Hello\r\nMessage-ID: <1@a.example>\r\n')
  expect(gone).not.toContain('Words.')
  expect(full).toContain('Status: 5.2.2\r\n')
  expect(later).toContain('Action: delayed\r\nStatus: 4.2.2\r\n')
  expect(angry).toContain('Feedback-Type: abuse\r\n')
  expect(angry).toContain('Original-Mail-From: <b+1@a.example>\r\n')
  expect(back('', 'ann@bounce.test')).toEqual([])
})
