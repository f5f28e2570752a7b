/** The jobs that one run of a queue has in hand. */
export class HeldJobs {
  readonly ids = new Set<string>()
  private waiting: (() => void)[] = []

  take(id: string): void {
    this.ids.add(id)
  }

  letGo(id: string): void {
    this.ids.delete(id)
    if (this.ids.size > 0) return
    for (const resolve of this.waiting.splice(0)) resolve()
  }

  /** Resolves when none is in hand. */
  async none(): Promise<void> {
    if (this.ids.size > 0) await new Promise<void>((resolve) => this.waiting.push(resolve))
  }
}
