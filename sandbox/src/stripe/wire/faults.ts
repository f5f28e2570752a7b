/** What happens to the next API requests, asked for by a test; each fault strikes once. */
export type Fault =
  /** Nothing is done, and the answer is Stripe's own failure. */
  | { kind: 'error'; status: 500 | 503 }
  /** Nothing is done: too many requests. */
  | { kind: 'rate-limit' }
  /** The request waits before it is worked on. */
  | { kind: 'slow'; ms: number }
  /** The work is done and kept, and the connection breaks before the answer. */
  | { kind: 'lost-answer' }

/** Which requests a fault waits for: those of a method, and those whose path begins so; null: any. */
export type Aim = { method: string | null; path: string | null }

export type Faults = {
  add(fault: Fault, aim: Aim): void
  /** The first fault that waits for such a request; it does not strike again. */
  take(method: string, path: string): Fault | null
  clear(): void
}

/** Held in memory only: a restart begins without faults. */
export function makeFaults(): Faults {
  const waiting: { fault: Fault; aim: Aim }[] = []
  return {
    add: (fault, aim) => void waiting.push({ fault, aim }),
    take(method, path) {
      const place = waiting.findIndex(
        ({ aim }) =>
          (aim.method === null || aim.method === method) && (aim.path === null || path.startsWith(aim.path)),
      )
      return place < 0 ? null : (waiting.splice(place, 1)[0]?.fault ?? null)
    },
    clear: () => void waiting.splice(0),
  }
}
