import { connect, createServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'
import { type Certificate, selfSignedCertificate } from '../mails/self-signed-certificate.ts'

/**
 * Faults before the first secure byte: no TLS where it is due; it is not offered (STARTTLS only); the connection is
 * cut in the handshake; a certificate that nobody vouches for, that has ended, or that is made out to another server.
 */
export type TlsFault = 'plain' | 'stripped' | 'cut' | 'stranger' | 'ended' | 'elsewhere'

/** TLS before a mail server that has none: from the first byte (`smtps`), or after STARTTLS. */
export type TlsFront = {
  readonly url: string
  /** PEM. Clients that trust these must still check dates and names. */
  readonly trusted: readonly string[]
  /** Chooses for each connection, counted from 1; null is good behaviour. */
  fault: (connection: number) => TlsFault | null
  connections(): number
  /** The lines that were sent in the clear beyond greeting and STARTTLS. */
  readonly leaked: string[]
  close(): Promise<void>
}

const HERE = '127.0.0.1'
const LATER = 2049

export async function startTlsFront(port: number, kind: 'implicit' | 'starttls'): Promise<TlsFront> {
  const certificates = {
    good: selfSignedCertificate({ ip: HERE, until: LATER }),
    stranger: selfSignedCertificate({ ip: HERE, until: LATER }),
    ended: selfSignedCertificate({ ip: HERE, until: 2020 }),
    elsewhere: selfSignedCertificate({ ip: '192.0.2.1', until: LATER }),
  }
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined)
    connections += 1
    const line: Line = { port, certificates, fault: front.fault(connections), leaked: front.leaked }
    if (kind === 'implicit') secure(socket, line, { greeted: false })
    else greet(socket, line)
  })
  await new Promise<void>((resolve) => server.listen(0, HERE, resolve))
  const address = `${HERE}:${(server.address() as { port: number }).port}`
  const front: TlsFront = {
    url: kind === 'implicit' ? `smtps://${address}` : `smtp://${address}?requireTLS=true`,
    trusted: [certificates.good.cert, certificates.ended.cert, certificates.elsewhere.cert],
    fault: () => null,
    connections: () => connections,
    leaked: [],
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
  return front
}

type Line = {
  port: number
  certificates: Record<'good' | 'stranger' | 'ended' | 'elsewhere', Certificate>
  fault: TlsFault | null
  leaked: string[]
}

/** The clear part of a conversation that turns to TLS by STARTTLS (RFC 3207). */
function greet(socket: Socket, line: Line): void {
  socket.write('220 front\r\n')
  socket.on('data', (chunk: Buffer) => {
    const command = chunk.toString('latin1').trim()
    const verb = command.slice(0, 4).toUpperCase()
    if (verb === 'EHLO') {
      socket.write(`250-front\r\n${line.fault === 'stripped' ? '' : '250-STARTTLS\r\n'}250 8BITMIME\r\n`)
    } else if (verb === 'STAR' && line.fault !== 'plain' && line.fault !== 'stripped') {
      socket.removeAllListeners('data')
      socket.write('220 go\r\n')
      secure(socket, line, { greeted: true })
    } else if (verb === 'STAR') socket.write('454 4.7.0 no TLS for now\r\n')
    else if (verb === 'QUIT') socket.end('221 bye\r\n')
    else {
      line.leaked.push(command)
      socket.write('530 5.7.0 not in the clear\r\n')
    }
  })
}

function secure(socket: Socket, line: Line, options: { greeted: boolean }): void {
  const { fault } = line
  if (fault === 'cut') socket.once('data', () => socket.destroy())
  else if (fault === 'plain' || fault === 'stripped') pass(socket, line.port, options)
  else {
    const certificate = line.certificates[fault ?? 'good']
    const secured = new TLSSocket(socket, { isServer: true, ...certificate })
    secured.on('error', () => socket.destroy())
    secured.once('secure', () => pass(secured, line.port, options))
  }
}

/** @param options.greeted the client has had a greeting: the server's own is swallowed */
function pass(client: Duplex, port: number, options: { greeted: boolean }): void {
  const server = connect(port, HERE)
  const end = () => {
    client.destroy()
    server.destroy()
  }
  server.on('error', end).on('close', end)
  client.on('error', end).on('close', end)
  const flow = () => {
    server.pipe(client)
    client.pipe(server)
  }
  if (options.greeted) server.once('data', flow)
  else flow()
}
