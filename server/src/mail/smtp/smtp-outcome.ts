import { whomWordsConcern } from './refusal-words.ts'

/** The result of handing a mail to a mail server (section 3.5, Delivery). */
export type SendOutcome = { kind: 'accepted' } | Deferral | SmtpRefusal

/** A refusal for now (4xx): worth another try later. */
export type Deferral = { kind: 'deferred'; replyCode: number }

/** A refusal for good (5xx). */
export type SmtpRefusal = {
  kind: 'refused'
  replyCode: number
  /** The enhanced status code of RFC 3463, such as 5.1.1, or null where the server gave none. */
  status: string | null
  /**
   * The subject of the reply. `address`: the mailbox does not exist. `recipient`: it exists as far as anybody knows, and
   * does not take this mail. `policy`: perhaps of us, perhaps of what this recipient takes; the answers to other recipients
   * decide. `sender`: of us.
   */
  about: 'address' | 'recipient' | 'policy' | 'sender'
  /** Whether the server had read the message when it refused, so that the cause may be its content. */
  read: boolean
}

/** The connection could not be opened or broke; this concerns no recipient. Carries no server text: it quotes addresses. */
export class SmtpLost extends Error {
  /** Broke in the middle of a mail, so that the mail itself may be the cause. */
  readonly unexplained: boolean
  /** Set when the server would not even begin: it refused the connection or the login for good. */
  readonly refusal: SmtpRefusal | null
  /** Whether the server replied that it takes no more for now, so that the mail was surely not taken. */
  readonly announced: boolean

  constructor(
    reason: string,
    options: { unexplained?: boolean; refusal?: SmtpRefusal | null; announced?: boolean } = {},
  ) {
    super(`The connection to the mail server failed: ${reason}.`)
    this.name = 'SmtpLost'
    this.unexplained = options.unexplained ?? false
    this.refusal = options.refusal ?? null
    this.announced = options.announced ?? false
  }
}

/** A failure as the library reports it. */
export type SmtpFault = Error & {
  code?: string | undefined
  command?: string | undefined
  responseCode?: number | undefined
  response?: string | undefined
}

const BROKEN = ['ECONNECTION', 'ESOCKET', 'ETIMEDOUT', 'EPROTOCOL', 'ETLS', 'EDNS']
/** The server ends the session, whatever it answers (RFC 5321 section 4.2.2). */
const CLOSING = 421
/** No such mailbox, no such domain, a bad address, moved without a forward, a domain without mail (RFC 3463, RFC 7505). */
const NO_SUCH_ADDRESS = ['5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.1.10']
/**
 * Security or policy (RFC 3463 section 3.8); the sender's address, which is ours (X.1.7, X.1.8); a limit of one mail's or hour's
 * recipients (X.4.5, X.5.3).
 */
const POLICY = /^5\.(?:7\.\d+|1\.[78]|4\.5|5\.3)$/
/** Some other or undefined status. */
const UNDEFINED = '5.0.0'

/**
 * Classifies whom a permanent refusal concerns, as far as its status code shows (ADR 0023).
 * @param status the enhanced status code of RFC 3463, null for none
 */
export function whomStatusConcerns(status: string | null): 'address' | 'recipient' | 'policy' {
  if (status === null) return 'recipient'
  if (POLICY.test(status)) return 'policy'
  return NO_SUCH_ADDRESS.includes(status) ? 'address' : 'recipient'
}

/**
 * Classifies whom a refusal concerns by its code and its words together: the same at RCPT, after the dot, in reports and in webhooks (ADR 0089).
 * Words of a limit or a listing of ours outweigh a code that speaks of the recipient, and never the other way round. Where the code
 * has no meaning (5.0.0), the words decide.
 * @param words as the server sent them
 */
export function whomRefusalConcerns(
  status: string | null,
  words: string,
): 'address' | 'recipient' | 'policy' {
  const byWords = whomWordsConcern(words)
  if (byWords === 'us') return 'policy'
  if (status === UNDEFINED && byWords) return byWords
  return whomStatusConcerns(status)
}

/** The reply for an address that cannot be written in SMTP: bad destination mailbox address syntax. */
export const UNWRITABLE: SmtpRefusal = {
  kind: 'refused',
  replyCode: 553,
  status: '5.1.3',
  about: 'address',
  read: false,
}

/** Classifies a failure: of this mail or its recipient, of us, or of the connection alone. */
export function readSmtpFault(fault: SmtpFault): Deferral | SmtpRefusal | SmtpLost {
  const { code = 'unknown', command = '', responseCode = 0 } = fault
  const reason = [code, responseCode || null].filter(Boolean).join(' ')
  if (command === 'API' && code === 'EENVELOPE') return UNWRITABLE
  const ofMail = command === 'RCPT TO' || command === 'DATA'
  // The library does not report at which stage it was, but for MAIL; a server that closes at one recipient may mean that one.
  if (responseCode === CLOSING)
    return new SmtpLost(reason, { unexplained: command !== 'MAIL FROM', announced: true })
  if (responseCode >= 500 && (ofMail || command === 'MAIL FROM')) return refusalOf(fault, responseCode)
  if (responseCode >= 500) return new SmtpLost(reason, { refusal: refusalOf(fault, responseCode) })
  if (BROKEN.includes(code)) return new SmtpLost(reason, { unexplained: true })
  if (!ofMail || responseCode < 400)
    return new SmtpLost(reason, { unexplained: ofMail, announced: responseCode >= 400 })
  return { kind: 'deferred', replyCode: responseCode }
}

/** A reply before any mail, which is no yes: set where the server refuses us for good. */
export function refusalBeforeMail(reply: { code: number; text: string }): SmtpRefusal | null {
  if (reply.code < 500) return null
  return refusalOf(Object.assign(new Error(), { response: reply.text }), reply.code)
}

/** Makes the refusal by the stage at which it was sent, and by its enhanced status code. */
function refusalOf({ command, code, response = '' }: SmtpFault, replyCode: number): SmtpRefusal {
  const status = /^5\d\d[ -](5\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1] ?? null
  // The library names the DATA command and the message after it alike, and only its code distinguishes them.
  const read = command === 'DATA' && code === 'EMESSAGE'
  const about = () => {
    if (command !== 'RCPT TO' && command !== 'DATA') return 'sender'
    // A refusal of DATA does not concern the recipient, who has been taken, and hardly us.
    if (command === 'DATA' && !read) return 'policy'
    const concerned = whomRefusalConcerns(status, response)
    return read && concerned === 'address' ? 'recipient' : concerned
  }
  return { kind: 'refused', replyCode, status, about: about(), read }
}
