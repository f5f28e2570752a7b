/** So many are remembered. */
const REMEMBERED = 1000

/**
 * People who stopped mails lately. A sender reads the recipients of a range before it mails them, and a slow mail server takes them for minutes:
 * who stops meanwhile is looked up again before their mail (ADR 0124).
 */
export class RecentStops {
  private readonly placeOf = new Map<string, number>()
  private count = 0
  private forgottenUpTo = 0

  note(userId: string): void {
    this.count += 1
    if (this.placeOf.size >= REMEMBERED) {
      this.placeOf.clear()
      this.forgottenUpTo = this.count
    }
    this.placeOf.set(userId, this.count)
  }

  /** The present moment, for `mayHaveStopped`: taken before recipients are read. */
  mark(): number {
    return this.count
  }

  /** @returns true also where it is forgotten who has stopped since `mark` */
  mayHaveStopped(userId: string, mark: number): boolean {
    return mark < this.forgottenUpTo || (this.placeOf.get(userId) ?? 0) > mark
  }
}
