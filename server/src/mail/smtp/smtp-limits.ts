const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS

/**
 * How long a mail server may be silent at each stage: the limits of RFC 5321 section 4.5.3.2, which a busy server needs.
 * Giving up after the final dot would be worst of all: the mail may have been taken, and would be sent again.
 */
export const SMTP_LIMITS_MS = {
  /** The network and TLS, which RFC 5321 leaves open: short, since no command has been sent and a later try costs nothing. */
  connect: 10 * SECOND_MS,
  /** The greeting, and every command until the first mail. */
  greeting: 5 * MINUTE_MS,
  /** MAIL and RCPT; DATA, which has two minutes, is given as long. */
  envelope: 5 * MINUTE_MS,
  /**
   * The same before a connection has shown that it bears PIPELINING: a server that has lost the commands would keep the mails
   * waiting all that time. No mail has been handed over yet, so giving up costs nothing.
   */
  firstEnvelopes: 10 * SECOND_MS,
  afterDot: 10 * MINUTE_MS,
  goodbye: SECOND_MS,
}
