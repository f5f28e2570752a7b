/**
 * A mail server that takes everything and counts, as a process of its own: it shares its event loop with nobody who is measured. It
 * looks at bytes alone, so that it is no limit.
 */
import { createServer, type Socket } from 'node:net'
import type { Counted, Wanted } from './sink-process.ts'

const LINE_END = Buffer.from('\r\n')
const MESSAGE_END = Buffer.from('\r\n.\r\n')
const MESSAGE_ID = Buffer.from('Message-ID: <')
const BRACKET = '>'.charCodeAt(0)
const GOODBYE = '221 bye\r\n'

/** Of the mails that are waited for: a mail that comes twice counts once. */
const ids = new Set<string>()
let wanted = 0
let first = 0n

process.on('message', (next: Wanted) => {
  ids.clear()
  wanted = next.mails
  process.send?.('counting')
})
process.on('disconnect', () => process.exit())

function count(message: Buffer): void {
  const from = message.indexOf(MESSAGE_ID) + MESSAGE_ID.length
  if (ids.size === 0) first = process.hrtime.bigint()
  ids.add(message.toString('latin1', from, message.indexOf(BRACKET, from)))
  if (ids.size !== wanted) return
  wanted = 0
  const counted: Counted = { first: String(first), last: String(process.hrtime.bigint()) }
  process.send?.(counted)
}

function converse(socket: Socket): void {
  let rest: Buffer = Buffer.alloc(0)
  let inMessage = false
  const command = (line: Buffer): string => {
    const verb = line.toString('latin1', 0, 4).toUpperCase()
    inMessage = verb === 'DATA'
    if (inMessage) return '354 go on\r\n'
    if (verb === 'EHLO') return '250-sink\r\n250-PIPELINING\r\n250 8BITMIME\r\n'
    return verb === 'QUIT' ? GOODBYE : '250 fine\r\n'
  }
  socket.on('data', (chunk) => {
    let input = rest.length > 0 ? Buffer.concat([rest, chunk as Buffer]) : (chunk as Buffer)
    let replies = ''
    for (;;) {
      const ending = inMessage ? MESSAGE_END : LINE_END
      const end = input.indexOf(ending)
      if (end < 0) break
      const piece = input.subarray(0, end)
      input = input.subarray(end + ending.length)
      if (inMessage) {
        inMessage = false
        count(piece)
        replies += '250 taken\r\n'
      } else replies += command(piece)
    }
    rest = input
    if (replies) socket.write(replies, 'latin1')
    if (replies.endsWith(GOODBYE)) socket.end()
  })
  socket.on('error', () => undefined)
  socket.setNoDelay(true).write('220 sink\r\n')
}

const server = createServer(converse)
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.({ port: typeof address === 'object' ? address?.port : 0 })
})
