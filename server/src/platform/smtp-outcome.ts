/** What became of a mail that was handed to a mail server. */
export type SendOutcome =
  | { kind: 'accepted' }
  /** For now (4xx): worth another try later. */
  | { kind: 'deferred'; replyCode: number }
  | Refusal

/** For good (5xx): `address` tells whether the recipient was refused, or what was said to them. */
export type Refusal = { kind: 'refused'; replyCode: number; address: boolean }

/** The connection could not be had or broke; says nothing of any recipient. Carries no server text: it quotes addresses. */
export class SmtpLost extends Error {
  /** Broke in the middle of a mail without a word, so that the mail itself may be the cause. */
  readonly unexplained: boolean

  constructor(reason: string, unexplained: boolean) {
    super(`The connection to the mail server failed: ${reason}.`)
    this.name = 'SmtpLost'
    this.unexplained = unexplained
  }
}

/** As the library reports it. */
export type SmtpFault = Error & {
  code?: string | undefined
  command?: string | undefined
  responseCode?: number | undefined
}

const BROKEN = ['ECONNECTION', 'ESOCKET', 'ETIMEDOUT', 'EPROTOCOL', 'ETLS', 'EDNS']
/** Replies that speak of the session (syntax, sequence, authentication), not of a mail (RFC 5321 section 4.2.3). */
const SESSION_REPLIES = [421, 500, 501, 502, 503, 504, 530, 534, 535, 538]
/** What a server would say to an address that cannot be written down: mailbox name not allowed. */
export const UNWRITABLE: Refusal = { kind: 'refused', replyCode: 553, address: true }

/** What a failure says: of this mail or its recipient, or of the connection alone. */
export function judge(fault: SmtpFault): SendOutcome | SmtpLost {
  const { code = 'unknown', command = '', responseCode = 0 } = fault
  const reason = [code, responseCode || null].filter(Boolean).join(' ')
  if (command === 'API' && code === 'EENVELOPE') return UNWRITABLE
  if (SESSION_REPLIES.includes(responseCode)) return new SmtpLost(reason, false)
  if (BROKEN.includes(code)) return new SmtpLost(reason, true)
  if (command === 'MAIL FROM' || responseCode < 400) return new SmtpLost(reason, false)
  if (responseCode < 500) return { kind: 'deferred', replyCode: responseCode }
  return { kind: 'refused', replyCode: responseCode, address: command === 'RCPT TO' }
}
