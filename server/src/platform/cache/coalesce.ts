/**
 * Coalesces work that has effect on everything done before it begins, and that many ask for at once: one run at a time, and
 * callers who ask during a run share the next one, since the one under way may have begun too early for them.
 */
export function coalesce(work: () => Promise<void>): () => Promise<void> {
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

/**
 * The same for items that are worked on together: each run is given those that have come since the one before began.
 * @returns takes an item in, and resolves when the run that had it has ended
 */
export function inSharedRuns<Item>(work: (items: Item[]) => Promise<void>): (item: Item) => Promise<void> {
  let waiting: Item[] = []
  const run = coalesce(() => {
    const items = waiting
    waiting = []
    return work(items)
  })
  return (item) => {
    waiting.push(item)
    return run()
  }
}
