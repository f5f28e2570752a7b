/**
 * Makes a piece of work that has effect on all that was done before it begins one that many ask for at once: one run at a time, and
 * those who ask during a run share the next one, since the one under way may have begun too early for them.
 */
export function shareRuns(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null
  let next: Promise<void> | null = null
  const run = (): Promise<void> => {
    if (!running) {
      running = work().finally(() => {
        running = null
      })
      return running
    }
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = null
        return run()
      })
    return next
  }
  return run
}
