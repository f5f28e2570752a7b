/**
 * The ceiling: finished bytes over plain sockets with PIPELINING (RFC 2920), a message and the next envelope in one write, no
 * database, nothing recorded.
 */
import { connect } from 'node:net'
import { contend } from './contender.ts'
import { BODY, FROM, recipient } from './mail.ts'

const envelope = (index: number) => `MAIL FROM:<${FROM}>\r\nRCPT TO:<${recipient(index)}>\r\nDATA\r\n`
const message = (index: number) =>
  `Message-ID: <${index}@bench>\r\nContent-Type: text/plain\r\n\r\n${BODY}.\r\n`

contend(async ({ port, mails, connections }) => {
  const each = Math.floor(mails / connections)
  await Promise.all(Array.from({ length: connections }, (_, line) => blast(port, line * each, each)))
})

function blast(port: number, first: number, count: number): Promise<void> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true).setEncoding('latin1')
  const end = first + count
  let index = first
  let rest = ''
  let greeted = false
  const answer = (line: string) => {
    if (line.startsWith('220')) socket.write('EHLO bench\r\n')
    else if (line.startsWith('250 ') && !greeted) {
      greeted = true
      socket.write(envelope(index))
    } else if (line.startsWith('354')) {
      const next = index + 1 < end ? envelope(index + 1) : 'QUIT\r\n'
      socket.write(message(index) + next)
      index += 1
    }
  }
  socket.on('data', (chunk) => {
    const lines = (rest + String(chunk)).split('\r\n')
    rest = lines.pop() ?? ''
    for (const line of lines) answer(line)
  })
  return new Promise((resolve, reject) => {
    socket.on('error', reject).on('close', () => resolve())
  })
}
