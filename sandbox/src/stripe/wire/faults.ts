/** A fault of the next API requests, asked for by a test; each strikes once, or as often as the test asks. */
export type Fault =
  /** Nothing is done, and the answer is Stripe's own failure. */
  | { kind: 'error'; status: 500 | 503 }
  /** Nothing is done: refused for good, or (409) for the moment. */
  | { kind: 'refuse'; status: RefusedStatus }
  /** Nothing is done: too many requests. */
  | { kind: 'rate-limit' }
  /** The request waits before it is worked on. */
  | { kind: 'slow'; ms: number }
  /** The work is done and kept, and the connection breaks before the answer. */
  | { kind: 'lost-answer' }

export const REFUSED_STATUSES = [400, 401, 402, 403, 404, 409] as const
export type RefusedStatus = (typeof REFUSED_STATUSES)[number]

/** Which requests a fault waits for: those of a method, and those whose path begins so; null: any. */
export type Aim = { method: string | null; path: string | null }

export type Faults = {
  add(fault: Fault, aim: Aim, times: number): void
  /** The first fault that waits for such a request. */
  take(method: string, path: string): Fault | null
  clear(): void
}

/** Held in memory only: a restart begins without faults. */
export function makeFaults(): Faults {
  const waiting: { fault: Fault; aim: Aim; times: number }[] = []
  return {
    add: (fault, aim, times) => void waiting.push({ fault, aim, times }),
    take(method, path) {
      const place = waiting.findIndex(
        ({ aim }) =>
          (aim.method === null || aim.method === method) && (aim.path === null || path.startsWith(aim.path)),
      )
      const found = waiting[place]
      if (found === undefined) return null
      found.times -= 1
      if (found.times === 0) waiting.splice(place, 1)
      return found.fault
    },
    clear: () => void waiting.splice(0),
  }
}
