/** Applies however many a server takes: the end of a session frees the memory that it has gathered on either side. */
const MAILS_A_SESSION = 10_000
/** A server of another configuration may stand there by then. */
const KNOWN_FOR_MS = 3_600_000
/** While another session changes nothing, twice as many deferrals pass each time before the next one is tried on a new session. */
const LONGEST_PATIENCE = 1024

/**
 * How many mails a session of the mail server takes. The server shows it by taking no more: for now, with or without hanging up. Known to all
 * connections of a worker. A mail that is deferred after others were taken is handed over on a new session at once. Where that
 * changes nothing, as with greylisting, ever fewer mails are.
 */
export class SessionLimit {
  private learnt: { mails: number; until: number } | null = null
  private patience = 0
  private passed = 0

  /** Mails after which a session is over, by ourselves. */
  mails(now: Date): number {
    return this.learnt && now.getTime() < this.learnt.until ? this.learnt.mails : MAILS_A_SESSION
  }

  /** @param taken mails on the session on which one was not taken for now */
  isWorthAnother(taken: number): boolean {
    if (taken === 0) return false
    this.passed += 1
    return this.passed > this.patience
  }

  /** Records the result of a mail on a new session. @param taken mails on the session before */
  tried(outcome: 'taken' | 'not taken', taken: number, now: Date): void {
    this.passed = 0
    if (outcome === 'taken') {
      this.patience = 0
      this.learnt = { mails: taken, until: now.getTime() + KNOWN_FOR_MS }
    } else this.patience = Math.min(LONGEST_PATIENCE, Math.max(1, this.patience * 2))
  }
}
