import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { expect, test } from 'vitest'
import { startTlsFront } from '../../../test/processes/tls-front.ts'
import type { SmtpLost } from './smtp-outcome.ts'
import { openSmtpSession } from './smtp-session.ts'

const USER = 'tradepost'
const PASSWORD = 'open/sesame:1'
const CHALLENGE = '<1896.697170952@mail.example>'

const base64 = (text: string) => Buffer.from(text).toString('base64')

/** Answers each line with the result of `reply`, after a greeting; keeps the lines. */
async function startServer(reply: (line: string) => string) {
  const lines: string[] = []
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.write('220 here\r\n')
    createInterface({ input: socket }).on('line', (line) => {
      lines.push(line)
      socket.write(`${reply(line)}\r\n`)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const open = (query = '') => {
    const login = `${USER}:${encodeURIComponent(PASSWORD)}`
    return openSmtpSession(`smtp://${login}@127.0.0.1:${port}${query}`, new AbortController().signal)
  }
  return {
    lines,
    open,
    async [Symbol.asyncDispose]() {
      server.close()
    },
  }
}

/** A server that knows one way to log in; `digest` is what CRAM-MD5 must answer (RFC 2195). */
function knows(way: string): (line: string) => string {
  const digest = createHmac('md5', PASSWORD).update(CHALLENGE).digest('hex')
  const conversations: Record<string, [string, string][]> = {
    PLAIN: [[`AUTH PLAIN ${base64(`\0${USER}\0${PASSWORD}`)}`, '235 in']],
    LOGIN: [
      ['AUTH LOGIN', `334 ${base64('Username:')}`],
      [base64(USER), `334 ${base64('Password:')}`],
      [base64(PASSWORD), '235 in'],
    ],
    'CRAM-MD5': [
      ['AUTH CRAM-MD5', `334 ${base64(CHALLENGE)}`],
      [base64(`${USER} ${digest}`), '235 in'],
    ],
  }
  const replies = new Map(conversations[way])
  return (line) =>
    line.startsWith('EHLO')
      ? `250-here\r\n250-PIPELINING\r\n250 AUTH ${way}`
      : (replies.get(line) ?? '535 5.7.8 no')
}

test.each(['PLAIN', 'LOGIN', 'CRAM-MD5'])(
  'a session logs in by %s where that is what is offered',
  async (way) => {
    await using server = await startServer(knows(way))
    const { wire, pipelining } = await server.open()
    expect(pipelining).toBe(true)
    wire.end('ECONNECTION')
  },
)

test('a refused login is reported as a refusal of us, without the login', async () => {
  await using server = await startServer((line) =>
    line.startsWith('EHLO') ? '250-here\r\n250 AUTH PLAIN' : `535 5.7.8 no ${PASSWORD}`,
  )
  const lost = (await server.open().catch((error: unknown) => error)) as SmtpLost
  expect(lost.refusal).toMatchObject({ replyCode: 535, status: '5.7.8', about: 'sender' })
  expect(lost.message).toBe('The connection to the mail server failed: EAUTH 535.')
})

test('a login that is put off is tried again and is no refusal', async () => {
  await using server = await startServer((line) =>
    line.startsWith('EHLO') ? '250-here\r\n250 AUTH PLAIN' : '454 4.7.0 later',
  )
  const lost = (await server.open().catch((error: unknown) => error)) as SmtpLost
  expect([lost.name, lost.refusal]).toEqual(['SmtpLost', null])
})

test('where TLS is required and refused, no login is sent', async () => {
  await using server = await startServer((line) => (line.startsWith('EHLO') ? '250 here' : '502 no'))
  await expect(server.open('?requireTLS=true')).rejects.toThrow('ETLS 502')
  expect(server.lines.map((line) => line.slice(0, 4))).toEqual(['EHLO', 'STAR'])
})

test('bytes in the clear behind the answer to STARTTLS end the session: nobody knows who put it there', async () => {
  await using server = await startServer((line) =>
    line.startsWith('EHLO') ? '250-here\r\n250 STARTTLS' : '220 go\r\n250 not from the server',
  )
  await expect(server.open()).rejects.toThrow('The connection to the mail server failed')
  expect(server.lines.map((line) => line.slice(0, 4))).toEqual(['EHLO', 'STAR'])
})

const why = (url: string) =>
  openSmtpSession(url, new AbortController().signal).catch((error: Error) =>
    error.message.replace('The connection to the mail server failed: ', ''),
  )

test.each([
  ['implicit', 'ECONNECTION'],
  ['starttls', 'ETLS'],
] as const)(
  'why a certificate is not taken is reported in words and by its code (%s)',
  async (kind, fault) => {
    const front = await startTlsFront(9, kind)
    const usual = getCACertificates()
    try {
      front.fault = () => 'stranger'
      expect(await why(front.url)).toBe(`${fault} a self-signed certificate (DEPTH_ZERO_SELF_SIGNED_CERT).`)
      setDefaultCACertificates([...usual, ...front.trusted])
      front.fault = () => 'ended'
      expect(await why(front.url)).toBe(`${fault} a certificate that has expired (CERT_HAS_EXPIRED).`)
      front.fault = () => 'elsewhere'
      expect(await why(front.url)).toBe(
        `${fault} a certificate for another name (ERR_TLS_CERT_ALTNAME_INVALID).`,
      )
    } finally {
      setDefaultCACertificates(usual)
      await front.close()
    }
  },
)

test('a refused connection is reported as one', async () => {
  const front = await startTlsFront(9, 'implicit')
  await front.close()
  expect(await why(front.url)).toBe('ECONNECTION ECONNREFUSED.')
})

test('the name that a certificate has to have can be given in the address', async () => {
  const front = await startTlsFront(9, 'starttls')
  const usual = getCACertificates()
  try {
    setDefaultCACertificates([...usual, ...front.trusted])
    const url = front.url.replace('127.0.0.1', 'localhost')
    expect(await why(url)).toContain('a certificate for another name')
    expect(await why(`${url}&tls.servername=127.0.0.1`)).not.toContain('certificate')
  } finally {
    setDefaultCACertificates(usual)
    await front.close()
  }
})
