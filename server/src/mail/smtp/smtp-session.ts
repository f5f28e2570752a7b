import { createHmac } from 'node:crypto'
import { connect, isIP, type Socket } from 'node:net'
import { hostname } from 'node:os'
import { connect as connectTls, type ConnectionOptions as TlsOptions } from 'node:tls'
import { parseConnectionUrl } from 'nodemailer/lib/shared'
import { SMTP_LIMITS_MS } from './smtp-limits.ts'
import { refusalBeforeMail, SmtpLost } from './smtp-outcome.ts'
import { type SmtpReply, SmtpWire, type WireFault } from './smtp-wire.ts'
import { tlsFault } from './tls-fault.ts'

/** Where and how to connect, as SMTP_URL gives it; read as nodemailer reads it, since single mails take the same address. */
type Target = {
  host: string
  port: number
  /** TLS from the first byte. */
  secure: boolean
  /** Without TLS nothing is sent. */
  requireTls: boolean
  /** TLS is not asked for even where it is offered. */
  ignoreTls: boolean
  /** Our name in EHLO. */
  name: string
  tls: TlsOptions
  login: { user: string; password: string } | null
}

/** A session that is ready for its first mail. */
export type SmtpSession = { wire: SmtpWire; pipelining: boolean }

/**
 * Connects, greets, turns to TLS where it is offered or required (RFC 3207), and logs in (RFC 4954).
 * @param smtpUrl `smtp://user:password@host:port` or `smtps://`; `?requireTLS=true`, `?ignoreTLS=true`, `?name=`
 * @param up ends the attempt
 * @returns the session, and whether the server offers PIPELINING (RFC 2920)
 * @throws SmtpLost when the server is not there within the limits, refuses us, or TLS fails where it is due
 */
export async function openSmtpSession(smtpUrl: string, up: AbortSignal): Promise<SmtpSession> {
  const target = readTarget(smtpUrl)
  const wire = new SmtpWire(await openSocket(target, up))
  const lost = Promise.withResolvers<never>()
  lost.promise.catch(() => undefined)
  wire.onEnd = (fault, cause) => lost.reject(new SmtpLost([fault, cause].filter(Boolean).join(' ')))
  const giveUp = () => wire.end('ECONNECTION')
  up.addEventListener('abort', giveUp)
  try {
    return await Promise.race([prepare(wire, target), lost.promise])
  } catch (error) {
    wire.end('ECONNECTION')
    throw error
  } finally {
    up.removeEventListener('abort', giveUp)
  }
}

const TRIED_FOR_MS = 10_000

/**
 * Tries the mail server once, up to its login, and hangs up.
 * @returns why it cannot be used, without any of the server's words; null when it can
 */
export async function findMailServerFault(smtpUrl: string): Promise<string | null> {
  try {
    const { wire } = await openSmtpSession(smtpUrl, AbortSignal.timeout(TRIED_FOR_MS))
    wire.end('ECONNECTION')
    return null
  } catch (error) {
    return error instanceof SmtpLost ? error.message : 'SMTP_URL cannot be used'
  }
}

function readTarget(smtpUrl: string): Target {
  const { host = 'localhost', port, secure = false, auth, tls, ...asked } = parseConnectionUrl(smtpUrl)
  const { user, pass } = { user: undefined, pass: undefined, ...auth }
  return {
    host,
    port: Number(port ?? (secure ? 465 : 587)),
    secure,
    requireTls: asked.requireTLS === true,
    ignoreTls: asked.ignoreTLS === true,
    name: typeof asked.name === 'string' ? asked.name : ownName(),
    tls: { ...(!isIP(host) && { servername: host }), ...tls, host },
    login: user ? { user, password: pass ?? '' } : null,
  }
}

/** A whole domain name, or an address where the machine has none (RFC 5321 section 4.1.3). */
function ownName(): string {
  const name = hostname()
  return name.includes('.') ? name : '[127.0.0.1]'
}

function openSocket(target: Target, up: AbortSignal): Promise<Socket> {
  const { host, port, secure, tls } = target
  if (up.aborted) return Promise.reject(new SmtpLost('ECONNECTION'))
  return new Promise((resolve, reject) => {
    const socket: Socket = secure ? connectTls({ ...tls, host, port }) : connect({ host, port })
    const fail = (fault: WireFault, cause = '') => {
      clearTimeout(late)
      up.removeEventListener('abort', giveUp)
      socket.destroy()
      reject(new SmtpLost(`${fault} ${cause}`.trim()))
    }
    const giveUp = () => fail('ECONNECTION')
    const refused = ({ code }: NodeJS.ErrnoException) => fail('ECONNECTION', tlsFault(code))
    const late = setTimeout(() => fail('ETIMEDOUT'), SMTP_LIMITS_MS.connect)
    up.addEventListener('abort', giveUp)
    socket.once('error', refused)
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      clearTimeout(late)
      up.removeEventListener('abort', giveUp)
      socket.off('error', refused)
      resolve(socket)
    })
  })
}

async function prepare(wire: SmtpWire, target: Target): Promise<SmtpSession> {
  await answered(wire, null, [220])
  let offers = await greet(wire, target.name)
  if (!target.secure && (target.requireTls || (offers.has('STARTTLS') && !target.ignoreTls))) {
    await answered(wire, 'STARTTLS', [220], 'ETLS')
    await wire.secure(target.tls, SMTP_LIMITS_MS.connect)
    // Extensions that were offered in the clear may not be the server's own (RFC 3207 section 4.2).
    offers = await greet(wire, target.name)
  }
  if (target.login) await logIn(wire, target.login, offers.get('AUTH') ?? '')
  return { wire, pipelining: offers.has('PIPELINING') }
}

/** @returns the server's extensions, with their parameters; nothing of a server that knows HELO only */
async function greet(wire: SmtpWire, name: string): Promise<Map<string, string>> {
  const reply = await ask(wire, `EHLO ${name}`)
  if (reply.code >= 500) {
    await answered(wire, `HELO ${name}`, [250])
    return new Map()
  }
  if (reply.code !== 250) throw unexpected(reply)
  const offers = reply.text.split('\n').slice(1)
  return new Map(
    offers.map((line) => {
      const [keyword = '', ...parameters] = line.slice(4).toUpperCase().split(/[ =]/)
      return [keyword, parameters.join(' ')]
    }),
  )
}

/** Signs in by the first method that both sides know. No error contains anything of the login. */
async function logIn(
  wire: SmtpWire,
  { user, password }: NonNullable<Target['login']>,
  offered: string,
): Promise<void> {
  const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64')
  const ways = offered.split(' ')
  if (ways.includes('PLAIN') || !ways.some((way) => way === 'LOGIN' || way === 'CRAM-MD5')) {
    await answered(wire, `AUTH PLAIN ${base64(`\0${user}\0${password}`)}`, [235], 'EAUTH')
  } else if (ways.includes('LOGIN')) {
    await answered(wire, 'AUTH LOGIN', [334], 'EAUTH')
    await answered(wire, base64(user), [334], 'EAUTH')
    await answered(wire, base64(password), [235], 'EAUTH')
  } else {
    // RFC 2195.
    const { text } = await answered(wire, 'AUTH CRAM-MD5', [334], 'EAUTH')
    const challenge = Buffer.from(text.slice(4), 'base64')
    const digest = createHmac('md5', password).update(challenge).digest('hex')
    await answered(wire, base64(`${user} ${digest}`), [235], 'EAUTH')
  }
}

/** @param command null to wait for the greeting */
async function answered(
  wire: SmtpWire,
  command: string | null,
  codes: number[],
  fault = 'EPROTOCOL',
): Promise<SmtpReply> {
  const reply = await ask(wire, command)
  if (!codes.includes(reply.code)) throw unexpected(reply, fault)
  return reply
}

function ask(wire: SmtpWire, command: string | null): Promise<SmtpReply> {
  return new Promise((resolve) => {
    wire.expect(SMTP_LIMITS_MS.greeting, resolve)
    if (command !== null) wire.write(`${command}\r\n`)
  })
}

function unexpected(reply: SmtpReply, fault = 'EPROTOCOL'): SmtpLost {
  return new SmtpLost(`${fault} ${reply.code}`, { refusal: refusalBeforeMail(reply) })
}
