/**
 * A condition variable with a version. Every `notify` raises the version and wakes those who wait. A caller that reads
 * the version, looks for work and then waits beyond that version misses no notification in between.
 */
export type WakeUp = {
  notify(): void
  version(): number
  /**
   * Resolves when the version is higher than `version`, or after so many milliseconds.
   * @param milliseconds null waits for a notification alone
   */
  waitBeyond(version: number, milliseconds: number | null): Promise<void>
}

export function makeWakeUp(): WakeUp {
  let current = 0
  const waiting = new Set<() => void>()
  return {
    notify() {
      current += 1
      for (const wake of waiting) wake()
    },
    version: () => current,
    waitBeyond(version, milliseconds) {
      if (current > version) return Promise.resolve()
      return new Promise((resolve) => {
        const timer = milliseconds === null ? null : setTimeout(done, milliseconds)
        function done(): void {
          if (timer) clearTimeout(timer)
          waiting.delete(done)
          resolve()
        }
        waiting.add(done)
      })
    },
  }
}
