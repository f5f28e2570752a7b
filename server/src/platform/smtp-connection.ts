import { parseConnectionUrl } from 'nodemailer/lib/shared'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { SMTP_TIMEOUT_MS } from './mailer.ts'
import { judge, type SendOutcome, type SmtpFault, SmtpLost } from './smtp-outcome.ts'

/** One connection to the mail server, for whoever sends many mails with envelopes of their own, one after the other. */
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

/** @throws SmtpLost when there is no connection within the time-outs */
export async function connectSmtp(smtpUrl: string): Promise<SmtpConnection> {
  const { auth, ...address } = parseConnectionUrl(smtpUrl)
  const client = new SMTPConnection({
    ...address,
    connectionTimeout: SMTP_TIMEOUT_MS,
    greetingTimeout: SMTP_TIMEOUT_MS,
    socketTimeout: SMTP_TIMEOUT_MS,
    dnsTimeout: SMTP_TIMEOUT_MS,
    socketCloseTimeout: 1000,
  })
  let open = true
  let busy = false
  client.on('end', () => {
    open = false
  })
  client.on('error', () => undefined)
  await settled(client, (done) => client.connect(done))
  if (auth) await settled(client, (done) => client.login({ credentials: auth, ...auth }, done))
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
  const fault = await outcome(client, (done) =>
    client.send({ from: mail.from, to: [mail.to] }, mail.raw, done),
  )
  if (!fault) return { kind: 'accepted' }
  const judged = judge(fault)
  if (judged instanceof SmtpLost) {
    client.close()
    throw judged
  }
  // Whatever of the envelope was taken must not leak into the next mail's.
  if (await outcome(client, (done) => client.reset(done))) client.close()
  return judged
}

type Done = (error?: SmtpFault | null) => void

/** As `outcome`, for steps that must succeed. */
async function settled(client: SMTPConnection, start: (done: Done) => void): Promise<void> {
  const fault = await outcome(client, start)
  if (!fault) return
  client.close()
  throw new SmtpLost([fault.code, fault.responseCode].filter(Boolean).join(' ') || 'unknown', false)
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
