/** Wakes those who wait. A stroke is never missed: who has counted the strokes before looking waits only for later ones. */
export type Bell = {
  ring(): void
  /** Strokes so far. */
  strokes(): number
  /** Resolves after the next stroke beyond `heard`, or after so many milliseconds; null waits for a stroke alone. */
  wait(heard: number, milliseconds: number | null): Promise<void>
}

export function makeBell(): Bell {
  let strokes = 0
  const waiting = new Set<() => void>()
  return {
    ring() {
      strokes += 1
      for (const wake of waiting) wake()
    },
    strokes: () => strokes,
    wait(heard, milliseconds) {
      if (strokes > heard) return Promise.resolve()
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
