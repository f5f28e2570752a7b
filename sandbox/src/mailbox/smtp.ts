import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerDataStream } from 'smtp-server'

export type Incoming = { raw: Buffer; sender: string; recipients: string[] }

/** Idle connections of mail clients hold the end up no longer than this. */
const CLOSE_TIMEOUT_MS = 250

/**
 * Listens for SMTP (RFC 5321): no sign-in, no STARTTLS, any recipient.
 * @param options.maxBytes larger messages are refused with 552; announced as SIZE (RFC 1870)
 * @param keep called once a message, before it is acknowledged; what it throws is refused with 554
 */
export async function listenForMail(
  options: { host: string; port: number; maxBytes: number },
  keep: (incoming: Incoming) => Promise<void>,
): Promise<{ port: number; close(): Promise<void> }> {
  const server = new SMTPServer({
    name: 'sandbox.localhost',
    size: options.maxBytes,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    closeTimeout: CLOSE_TIMEOUT_MS,
    onData(stream, { envelope }, callback) {
      receive(stream)
        .then((raw) => {
          const sender = envelope.mailFrom ? envelope.mailFrom.address : ''
          return keep({ raw, sender, recipients: envelope.rcptTo.map(({ address }) => address) })
        })
        .then(
          () => callback(null),
          (error: Error) => callback(Object.assign(error, { responseCode: stream.sizeExceeded ? 552 : 554 })),
        )
    },
  })
  // A client that breaks off must not end the server; a port that is taken is reported by the wait below.
  server.on('error', () => {})
  server.listen(options.port, options.host)
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  return { port, close: () => new Promise((resolve) => server.close(() => resolve())) }
}

async function receive(stream: SMTPServerDataStream): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) {
    if (!stream.sizeExceeded) chunks.push(chunk)
  }
  if (stream.sizeExceeded) throw new Error('The message is too large.')
  return Buffer.concat(chunks)
}
