import type { InfiniteData, QueryClient, QueryKey } from '@tanstack/react-query'
import { SEEN_STORAGE_KEY } from '@tradepost/contract/storage-keys'
import { accountQuery } from '../../features/account/account.api.ts'
import { activityKey } from '../../features/activity/activity-keys.ts'
import { positionsQuery } from '../../features/positions/positions.api.ts'
import { storedPerson } from '../../lib/auth-client.ts'

/*
 * The answers that a person saw last, for a start without a network (rule G-79): their positions, the first page of Activity, and the
 * account that both are drawn with. They are stored beside the session, which is worth more, and go with it. `restore-seen.ts` shows them.
 */

/** Changes that come together are written once. */
const WRITTEN_AFTER_MS = 1000

/** The place of an answer in the cache of queries, and how it is made of what is there. */
type Keeping = { queryKey: QueryKey; toAnswer(data: unknown): unknown }

export const KEPT = {
  account: { queryKey: accountQuery.queryKey, toAnswer: (account) => account },
  positions: { queryKey: positionsQuery.queryKey, toAnswer: (positions) => ({ positions }) },
  activity: {
    queryKey: activityKey(null),
    // A person without a network has seen the list before: nothing is to be marked as read.
    toAnswer: (data) => ({ ...(data as InfiniteData<object>).pages[0], seen: null }),
  },
} as const satisfies Record<string, Keeping>

/** Answers by their names, each with when it was loaded, in ms by the clock of this device. */
type Seen = { person: string; answers: Readonly<Record<string, { at: number; answer: unknown }>> }

/** Keeps what this page loads of it, until `ending` is aborted. @param person id of who is signed in */
export function keepSeen(client: QueryClient, person: string, ending: AbortSignal): void {
  const loadedAt = new Map<string, number>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const write = () => {
    clearTimeout(timer)
    timer = undefined
    // Another tab may have signed out, and this page may not have been notified yet.
    if (storedPerson() === person) writeSeen(client, person, loadedAt)
  }
  const writeSoon = () => {
    timer ??= setTimeout(write, WRITTEN_AFTER_MS)
  }
  const keys = new Set(Object.values(KEPT).map(({ queryKey }) => JSON.stringify(queryKey)))
  const forget = client.getQueryCache().subscribe((event) => {
    const isLoaded = event.type === 'updated' && event.action.type === 'success'
    if (!isLoaded || !keys.has(event.query.queryHash)) return
    // An answer that the feed has changed is as new as the change.
    loadedAt.set(event.query.queryHash, Date.now())
    writeSoon()
  })
  addEventListener('pagehide', () => timer && write(), { signal: ending })
  ending.addEventListener('abort', () => {
    forget()
    clearTimeout(timer)
  })
  writeSoon()
}

function writeSeen(client: QueryClient, person: string, loadedAt: ReadonlyMap<string, number>): void {
  const before = readSeen(person)
  const answers = { ...before?.answers }
  for (const [name, { queryKey, toAnswer }] of Object.entries(KEPT)) {
    const { data, dataUpdatedAt = 0 } = client.getQueryState(queryKey) ?? {}
    const at = loadedAt.get(JSON.stringify(queryKey)) ?? dataUpdatedAt
    if (data !== undefined) answers[name] = { at, answer: toAnswer(data) }
  }
  try {
    localStorage.setItem(SEEN_STORAGE_KEY, JSON.stringify({ person, answers } satisfies Seen))
  } catch {
    // Storage is full or forbidden: the answers stored before stay.
  }
}

/** @returns null where nothing of this person is kept */
export function readSeen(person: string): Seen | null {
  try {
    const seen = JSON.parse(localStorage.getItem(SEEN_STORAGE_KEY) ?? 'null') as Seen | null
    return seen?.person === person ? seen : null
  } catch {
    return null
  }
}
