/** Functions that are called when something has changed. */
export type Listeners = {
  /** @returns ends it */
  add(listener: () => void): () => void
  call(): void
  isEmpty(): boolean
}

export function makeListeners(): Listeners {
  const all = new Set<() => void>()
  return {
    add(listener) {
      all.add(listener)
      return () => void all.delete(listener)
    },
    call() {
      for (const listener of all) listener()
    },
    isEmpty: () => all.size === 0,
  }
}
