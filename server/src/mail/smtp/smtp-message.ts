/** A message, whole and with its headers: lines end in CRLF, the last one too, and none begins with a single dot (RFC 5321 section 4.5.2). */
export type SmtpMessage = {
  /** @returns the message and, behind it, what else is written with it; read before the next call, unless `leave` is called */
  bytes(behind: string): Buffer
  /** The bytes are still to be read: they may not be written over. */
  leave(): void
}
