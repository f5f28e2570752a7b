import type { PipeliningTrust } from './pipelining-trust.ts'
import { SMTP_LIMITS_MS } from './smtp-limits.ts'
import type { SmtpMessage } from './smtp-message.ts'
import { readSmtpFault, type SendOutcome, SmtpLost } from './smtp-outcome.ts'
import { openSmtpSession, type SmtpSession } from './smtp-session.ts'
import type { SmtpReply, SmtpWire, WireFault } from './smtp-wire.ts'

/** Ends the message (RFC 5321 section 4.1.1.4). */
const DOT = '.\r\n'
/** The only reply to DATA that asks for the message (RFC 5321 section 4.3.2). */
const GO_ON = 354
/** The server ends the session, whatever it answers (RFC 5321 section 4.2.2). */
const CLOSING = 421
/** Replies of a server that has not understood a group of commands: unknown, not implemented, out of order. */
const CONFUSED = [500, 502, 503]

/** The addresses of an envelope: a sender may differ from mail to mail. */
type Addresses = { from: string; to: string }

/** One connection to the mail server, for sending many mails with separate envelopes, one after the other. */
export type SmtpConnection = {
  /**
   * Hands over one finished mail to one recipient; one at a time. With PIPELINING the next mail's envelope travels behind this
   * one's message, so that a mail takes one round trip.
   * @param next the envelope of the mail that comes next, or null. The server then waits for that mail and for nothing else:
   *   see `promised`
   * @returns the server's answer to this mail
   * @throws SmtpLost when the fault is the connection's and the mail may or may not have been taken
   */
  send(mail: Addresses & { message: SmtpMessage }, next: Addresses | null): Promise<SendOutcome>
  /** False once the server or the network has ended it. */
  readonly open: boolean
  /** The recipient whose mail the server waits for; null when the next one may be anybody's. */
  readonly promised: string | null
  /** Sends QUIT; in the middle of a mail it closes the connection, and the mail counts as lost with it. */
  close(): void
}

/**
 * @param deps.up ends the attempt while the connection is being made
 * @throws SmtpLost when there is no connection within the limits, or the server refuses it
 */
export async function connectSmtp(
  smtpUrl: string,
  deps: { up: AbortSignal; trust: PipeliningTrust },
): Promise<SmtpConnection> {
  return new Connection(await openSmtpSession(smtpUrl, deps.up), deps.trust)
}

/** The server's replies to an envelope; a refusal is of the first command that it did not take. */
type Envelope = {
  to: string
  verdict: 'open' | 'taken' | SendOutcome | SmtpLost
  /** Commands that wait for their reply. */
  unanswered: number
  /** Whether it travelled with the message before: its answers show that the server bears PIPELINING. */
  behind: boolean
}

type Handed = {
  mail: Addresses & { message: SmtpMessage }
  next: Addresses | null
  resolve: (outcome: SendOutcome) => void
  reject: (lost: SmtpLost) => void
}

class Connection implements SmtpConnection {
  private readonly wire: SmtpWire
  private readonly trust: PipeliningTrust
  private readonly pipelining: boolean
  /** Whether an envelope that travelled with a message has been answered. */
  private proven = false
  private handed: Handed | null = null
  /** Whether the message of the mail at hand is on its way. */
  private inMessage = false
  /** The envelope of the mail at hand while its message is not on its way; else of the next one. */
  private envelope: Envelope | null = null
  /** Whether an envelope that the server took in part must be reset before the next one. */
  private unclean = false

  constructor({ wire, pipelining }: SmtpSession, trust: PipeliningTrust) {
    this.wire = wire
    this.trust = trust
    this.pipelining = pipelining && trust.given
    wire.onEnd = (fault) => this.lost(fault)
    wire.onPause = () => this.goOn()
  }

  get open(): boolean {
    return this.wire.open
  }

  get promised(): string | null {
    return this.handed ? null : (this.envelope?.to ?? null)
  }

  send(mail: Handed['mail'], next: Addresses | null): Promise<SendOutcome> {
    return new Promise((resolve, reject) => {
      if (!this.open || (this.envelope && this.envelope.to !== mail.to)) {
        this.wire.end('ECONNECTION')
        reject(new SmtpLost('ECONNECTION'))
        return
      }
      this.handed = { mail, next, resolve, reject }
      this.envelope ??= this.begin(mail)
      this.goOn()
    })
  }

  close(): void {
    if (!this.open) return
    if (this.handed || this.envelope || this.wire.unanswered > 0) {
      this.wire.end('ECONNECTION')
      return
    }
    this.wire.expect(SMTP_LIMITS_MS.goodbye, () => this.wire.end('ECONNECTION'))
    this.wire.write('QUIT\r\n')
  }

  /** Takes the next step that the replies so far allow. */
  private goOn(): void {
    const { handed, envelope } = this
    if (!handed || this.inMessage || !envelope || envelope.unanswered > 0) return
    const { verdict } = envelope
    if (verdict === 'open') return
    this.envelope = null
    if (verdict === 'taken') this.message(handed)
    else this.answer(verdict)
  }

  /** The message and, behind it in one write, the next mail's envelope: a message may stand first in a group (RFC 2920). */
  private message({ mail, next }: Handed): void {
    this.inMessage = true
    this.wire.expect(SMTP_LIMITS_MS.afterDot, (reply) => {
      this.inMessage = false
      this.answer(isTaken(reply) ? { kind: 'accepted' } : readReply('DATA', 'EMESSAGE', reply))
    })
    const follower = this.pipelining ? next : null
    this.wire.write(mail.message.bytes(follower ? DOT + this.group(follower) : DOT))
    if (!this.wire.flushed) mail.message.leave()
    if (follower) this.envelope = this.expectGroup(follower.to)
  }

  private answer(verdict: SendOutcome | SmtpLost): void {
    const { handed } = this
    this.handed = null
    if (verdict instanceof SmtpLost) {
      handed?.reject(verdict)
      this.wire.end('EPROTOCOL')
    } else handed?.resolve(verdict)
  }

  private begin(addresses: Addresses): Envelope {
    if (!this.pipelining) return this.stepByStep(addresses)
    this.wire.write(this.group(addresses))
    return this.expectGroup(addresses.to)
  }

  private group({ from, to }: Addresses): string {
    const reset = this.unclean ? 'RSET\r\n' : ''
    return `${reset}MAIL FROM:<${from}>\r\nRCPT TO:<${to}>\r\nDATA\r\n`
  }

  private expectGroup(to: string): Envelope {
    const envelope: Envelope = { to, verdict: 'open', unanswered: 3, behind: this.inMessage }
    const limit = this.proven ? SMTP_LIMITS_MS.envelope : SMTP_LIMITS_MS.firstEnvelopes
    if (this.unclean) this.wire.expect(limit, (reply) => this.reset(reply))
    this.unclean = false
    for (const command of ['MAIL FROM', 'RCPT TO', 'DATA'] as const) {
      this.wire.expect(limit, (reply) => {
        envelope.unanswered -= 1
        this.judge(envelope, command, reply)
        if (envelope.behind && envelope.unanswered === 0) this.proven = true
      })
    }
    return envelope
  }

  /** For a server without PIPELINING: each command waits for the reply to the one before. */
  private stepByStep({ from, to }: Addresses): Envelope {
    const envelope: Envelope = { to, verdict: 'open', unanswered: 0, behind: false }
    const issue = (text: string, then: (reply: SmtpReply) => void) => {
      envelope.unanswered = 1
      this.wire.expect(SMTP_LIMITS_MS.envelope, (reply) => {
        envelope.unanswered = 0
        then(reply)
      })
      this.wire.write(`${text}\r\n`)
    }
    const data = () => issue('DATA', (reply) => this.judge(envelope, 'DATA', reply))
    const recipient = () =>
      issue(`RCPT TO:<${to}>`, (reply) => this.judge(envelope, 'RCPT TO', reply) && data())
    const sender = () =>
      issue(`MAIL FROM:<${from}>`, (reply) => this.judge(envelope, 'MAIL FROM', reply) && recipient())
    if (this.unclean) issue('RSET', (reply) => this.reset(reply) && sender())
    else sender()
    this.unclean = false
    return envelope
  }

  /** @returns whether the server took the command */
  private judge(envelope: Envelope, command: 'MAIL FROM' | 'RCPT TO' | 'DATA', reply: SmtpReply): boolean {
    const isData = command === 'DATA'
    if (envelope.verdict !== 'open') {
      // The server asks for a message to nobody: an empty one has to follow (RFC 2920 section 3.1).
      if (isData && reply.code === GO_ON) this.empty(envelope)
      return false
    }
    if (isData ? reply.code === GO_ON : isTaken(reply)) {
      if (isData) envelope.verdict = 'taken'
      return true
    }
    this.unclean = command !== 'MAIL FROM'
    if (this.isConfused(command, reply)) this.wire.end('EPROTOCOL')
    // Another positive reply to DATA belongs to an earlier command, of a server that replies twice.
    else if (isData && reply.code < 400) envelope.verdict = new SmtpLost('EPROTOCOL', { unexplained: true })
    else envelope.verdict = readReply(command, 'EENVELOPE', reply)
    if (reply.code === CLOSING) this.wire.end('ECONNECTION')
    return false
  }

  /** Whether the server may have refused the group of commands rather than one of them. With one command at a time its replies are clear. */
  private isConfused(command: 'MAIL FROM' | 'RCPT TO' | 'DATA', { code, text }: SmtpReply): boolean {
    if (!this.pipelining || this.proven) return false
    const isOurs = command === 'MAIL FROM' && code === 501
    return isOurs || CONFUSED.includes(code) || /^5\d\d 5\.5\./.test(text)
  }

  private empty(envelope: Envelope): void {
    envelope.unanswered += 1
    this.wire.expect(SMTP_LIMITS_MS.afterDot, () => {
      envelope.unanswered -= 1
    })
    this.wire.write(DOT)
  }

  private reset(reply: SmtpReply): boolean {
    if (isTaken(reply)) return true
    this.wire.end('EPROTOCOL')
    return false
  }

  private lost(fault: WireFault): void {
    const { handed, envelope } = this
    this.handed = null
    this.envelope = null
    const verdict = envelope?.verdict
    const hasClosed = verdict instanceof SmtpLost
    // A mail that could be the cause was not on its way yet. Replies are missing of a group that was one too many.
    const early = !this.inMessage && !hasClosed && this.pipelining && !this.proven && envelope !== null
    if (early) this.trust.withdraw()
    if (!handed) return
    if (!this.inMessage && hasClosed) handed.reject(verdict)
    else handed.reject(new SmtpLost(fault, { unexplained: !early }))
  }
}

function isTaken({ code }: SmtpReply): boolean {
  return code >= 200 && code < 300
}

/** Describes a reply as nodemailer does, which sends the single mails: one reading of refusals serves both. */
function readReply(
  command: 'MAIL FROM' | 'RCPT TO' | 'DATA',
  code: string,
  { code: responseCode, text: response }: SmtpReply,
): SendOutcome | SmtpLost {
  return readSmtpFault(Object.assign(new Error(), { command, code, responseCode, response }))
}
