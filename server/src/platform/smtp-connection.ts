import type { Readable } from 'node:stream'
import { parseConnectionUrl } from 'nodemailer/lib/shared'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { readSmtpFault, type SendOutcome, type SmtpFault, SmtpLost } from './smtp-outcome.ts'

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS

/**
 * How long a mail server may be silent at each stage: the limits of RFC 5321 section 4.5.3.2, which a busy server needs.
 * Giving up after the final dot would be worst of all: the mail may have been taken, and would be sent again.
 */
export const SMTP_TIMEOUTS_MS = {
  /** The network alone, which RFC 5321 leaves open: short, since nothing has been said and a later try costs nothing. */
  connect: 10 * SECOND_MS,
  greeting: 5 * MINUTE_MS,
  /** MAIL, RCPT and DATA travel together where the server can read them so; the longest limit of the three. */
  envelope: 5 * MINUTE_MS,
  afterDot: 10 * MINUTE_MS,
}

/** One connection to the mail server, for sending many mails with separate envelopes, one after the other. */
export type SmtpConnection = {
  /**
   * Hands over one finished mail to one recipient; one at a time.
   * @param mail.raw a whole message with its headers; the connection stuffs dots and mends line ends
   * @returns what the server said of this mail
   * @throws SmtpLost when the fault is the connection's and the mail may or may not have been taken
   */
  send(mail: { from: string; to: string; raw: Buffer }): Promise<SendOutcome>
  /** False once the server or the network has ended it. */
  readonly open: boolean
  /** Says goodbye; in the middle of a mail it hangs up, and the mail counts as lost with the connection. */
  close(): void
}

/**
 * @param given.up ends the attempt while the connection is being made
 * @throws SmtpLost when there is no connection within the time-outs, or the server refuses it
 */
export async function connectSmtp(smtpUrl: string, given: { up: AbortSignal }): Promise<SmtpConnection> {
  const { auth, ...address } = parseConnectionUrl(smtpUrl)
  const client = new SMTPConnection({
    ...address,
    connectionTimeout: SMTP_TIMEOUTS_MS.connect + SMTP_TIMEOUTS_MS.greeting,
    greetingTimeout: SMTP_TIMEOUTS_MS.greeting,
    // The library has one limit for all stages; those of each are kept in `send`.
    socketTimeout: SMTP_TIMEOUTS_MS.afterDot + MINUTE_MS,
    dnsTimeout: SMTP_TIMEOUTS_MS.connect,
    socketCloseTimeout: SECOND_MS,
  })
  let open = true
  let busy = false
  client.on('end', () => {
    open = false
  })
  client.on('error', () => undefined)
  const giveUp = () => client.close()
  const unreachable = setTimeout(() => client.stage === 'connected' || giveUp(), SMTP_TIMEOUTS_MS.connect)
  given.up.addEventListener('abort', giveUp)
  try {
    await settled(client, (done) => client.connect(done))
    if (auth) await settled(client, (done) => client.login({ credentials: auth, ...auth }, done))
  } finally {
    clearTimeout(unreachable)
    given.up.removeEventListener('abort', giveUp)
  }
  return {
    async send(mail) {
      busy = true
      const outcome = await send(client, mail)
      busy = false
      return outcome
    },
    get open() {
      return open
    },
    close: () => (open && !busy ? client.quit() : client.close()),
  }
}

async function send(
  client: SMTPConnection,
  mail: { from: string; to: string; raw: Buffer },
): Promise<SendOutcome> {
  const giveUpAfter = (milliseconds: number) => setTimeout(() => client.close(), milliseconds)
  let limit = giveUpAfter(SMTP_TIMEOUTS_MS.envelope)
  const message: Pick<Readable, 'pipe'> = {
    pipe(target) {
      // It takes any 2xx for a yes to DATA. Only 354 is one (RFC 5321 section 4.3.2): another reply belongs to an earlier
      // command, of a server that said something twice, and the last answer would be taken for that of this mail.
      if (String(client.lastServerResponse).startsWith('354')) {
        clearTimeout(limit)
        limit = giveUpAfter(SMTP_TIMEOUTS_MS.afterDot)
        target.end(mail.raw)
      } else client.close()
      return target
    },
  }
  const fault = await outcome(client, (done) =>
    // Once the envelope has been taken, the library asks for `pipe` and no more. A whole stream for each mail took a
    // seventh of a worker's processor time.
    client.send({ from: mail.from, to: [mail.to] }, message as Readable, done),
  )
  clearTimeout(limit)
  if (!fault) return { kind: 'accepted' }
  const read = readSmtpFault(fault)
  if (read instanceof SmtpLost) {
    client.close()
    throw read
  }
  // Whatever of the envelope was taken must not leak into the next mail's.
  if (await outcome(client, (done) => client.reset(done))) client.close()
  return read
}

type Done = (error?: SmtpFault | null) => void

/** As `outcome`, for steps that must succeed. */
async function settled(client: SMTPConnection, start: (done: Done) => void): Promise<void> {
  const fault = await outcome(client, start)
  if (!fault) return
  client.close()
  const read = readSmtpFault(fault)
  const refusal = read instanceof SmtpLost ? read.refusal : null
  throw new SmtpLost([fault.code, fault.responseCode].filter(Boolean).join(' ') || 'unknown', { refusal })
}

/** The library reports a failure by callback, by event, or by merely ending: whichever comes first. */
function outcome(client: SMTPConnection, start: (done: Done) => void): Promise<SmtpFault | null> {
  return new Promise((resolve) => {
    const finish = (fault: SmtpFault | null) => {
      client.off('error', finish)
      client.off('end', onEnd)
      resolve(fault)
    }
    // The callback, which knows more, may be about to come.
    const onEnd = () => setImmediate(() => finish(Object.assign(new Error('ended'), { code: 'ECONNECTION' })))
    client.once('error', finish)
    client.once('end', onEnd)
    start((error) => finish(error ?? null))
  })
}
