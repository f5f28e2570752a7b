import type { SmtpMessage } from '../../src/mail/smtp/smtp-message.ts'

/** A message of this text, in bytes of its own each time. */
export function messageOf(text: string): SmtpMessage {
  return { bytes: (behind) => Buffer.from(text + behind), leave() {} }
}
