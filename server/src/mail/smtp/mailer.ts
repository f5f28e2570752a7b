import { createTransport } from 'nodemailer'
import type { Settings } from '../../platform/settings.ts'
import { SMTP_LIMITS_MS } from './smtp-limits.ts'
import { readSmtpFault, type SmtpFault, SmtpLost, type SmtpRefusal } from './smtp-outcome.ts'

/** A single mail to a single person. */
export type Mail = {
  to: string
  subject: string
  /** Without it the mail is plain text. */
  html?: string
  text: string
  /** Left side of the Message-ID, so that a repeated mail can be recognized as such; drawn unless given. */
  id?: string
  headers?: Record<string, string>
  /** Envelope sender: a bare address, that of the From line unless given. */
  returnPath?: string
}

/** The transactional lane: sign-in codes and the like, on connections that no fan-out can fill. */
export type Mailer = {
  /** Resolves when the mail server has taken the mail. @throws MailError, which the caller may answer by trying again */
  send(mail: Mail): Promise<void>
  close(): void
}

/** One for each job that the queue runs at a time: a mail that waits for its answer holds up no other. */
const CONNECTIONS = 8
/** A connection that was closed while it idled is replaced once; anything else is the caller's to repeat. */
const MAX_REQUEUES = 1

/** The failure of a mail, in words without addresses or content: server replies quote both. */
export class MailError extends Error {
  /**
   * Null when another try may help: the mail was deferred, or refused for a reason that may go away. Set when the address
   * does not exist, or when the server read the mail and will not have it.
   */
  readonly refused: SmtpRefusal | null
  /** The server's permanent refusal, also where another try may help. */
  readonly refusal: SmtpRefusal | null
  /** The outcome as the metrics count it. */
  readonly outcome: 'deferred' | 'refused' | 'lost'

  constructor(fault: SmtpFault) {
    const { code = 'unknown', responseCode } = fault
    super(`The mail server did not take a mail: ${[code, responseCode].filter(Boolean).join(' ')}.`)
    this.name = 'MailError'
    const outcome = readSmtpFault(fault)
    this.outcome = outcome instanceof SmtpLost ? 'lost' : outcome.kind
    this.refusal = !(outcome instanceof SmtpLost) && outcome.kind === 'refused' ? outcome : null
    this.refused = this.refusal && isForGood(this.refusal) ? this.refusal : null
  }
}

function isForGood({ about, read }: SmtpRefusal): boolean {
  return about === 'address' || (about === 'recipient' && read)
}

export function makeMailer(settings: Settings['mail']): Mailer {
  const transport = createTransport({
    url: settings.smtpUrl,
    pool: true,
    maxConnections: CONNECTIONS,
    maxRequeues: MAX_REQUEUES,
    connectionTimeout: SMTP_LIMITS_MS.connect + SMTP_LIMITS_MS.greeting,
    greetingTimeout: SMTP_LIMITS_MS.greeting,
    socketTimeout: SMTP_LIMITS_MS.afterDot,
    dnsTimeout: SMTP_LIMITS_MS.connect,
    // Mails are built from strings of ours; nothing in them may name a file or an address to fetch.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async send({ id, returnPath, ...mail }) {
      const messageId = id && `<${id}@${senderDomain(settings.from)}>`
      try {
        await transport.sendMail({
          from: settings.from,
          ...mail,
          ...(messageId && { messageId }),
          ...(returnPath !== undefined && { envelope: { from: returnPath, to: mail.to } }),
        })
      } catch (error) {
        throw new MailError(error as SmtpFault)
      }
    },
    close: () => transport.close(),
  }
}

/** The address of a From line, with or without a name around it. */
function senderDomain(from: string): string {
  return /@([^\s@>]+)>?\s*$/.exec(from)?.[1] ?? 'localhost'
}
