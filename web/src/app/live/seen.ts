import type { InfiniteData, QueryClient, QueryKey } from '@tanstack/react-query'
import { accountEndpoints } from '@tradepost/contract/account-endpoints'
import type { ActivityAnswer } from '@tradepost/contract/activity'
import { activityEndpoints } from '@tradepost/contract/activity-endpoints'
import type { Endpoint } from '@tradepost/contract/endpoint'
import { positionEndpoints } from '@tradepost/contract/position-endpoints'
import { SEEN_STORAGE_KEY } from '@tradepost/contract/storage-keys'
import { accountQuery } from '../../features/account/account.api.ts'
import { activityQuery } from '../../features/activity/activity.api.ts'
import { positionsQuery } from '../../features/positions/positions.api.ts'
import { storedPerson } from '../../lib/auth-client.ts'
import { readAnswer } from '../../lib/read-answer.ts'

/*
 * The answers that a person saw last, for a start without a network (rule G-79): their positions, the first page of Activity, and the
 * account that both are drawn with. They are stored beside the session, which is worth more, and go with it.
 */

/** Changes that come together are written once. */
const WRITTEN_AFTER_MS = 1000

/** The place of an answer in the cache of queries, and its form there. */
type Keeping = {
  endpoint: Endpoint
  queryKey: QueryKey
  toAnswer(data: unknown): unknown
  toData(answer: unknown): unknown
}

const same = (value: unknown) => value
const KEPT: Readonly<Record<string, Keeping>> = {
  account: {
    endpoint: accountEndpoints.configuration,
    queryKey: accountQuery.queryKey,
    toAnswer: same,
    toData: same,
  },
  positions: {
    endpoint: positionEndpoints.positions,
    queryKey: positionsQuery.queryKey,
    toAnswer: (positions) => ({ positions }),
    toData: (answer) => (answer as { positions: unknown }).positions,
  },
  activity: {
    endpoint: activityEndpoints.activity,
    queryKey: activityQuery(null).queryKey,
    // A person without a network has seen the list before: nothing is to be marked as read.
    toAnswer: (data) => ({ ...(data as InfiniteData<ActivityAnswer>).pages[0], seen: null }),
    toData: (page) => ({ pages: [page], pageParams: [null] }),
  },
}

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
function readSeen(person: string): Seen | null {
  try {
    const seen = JSON.parse(localStorage.getItem(SEEN_STORAGE_KEY) ?? 'null') as Seen | null
    return seen?.person === person ? seen : null
  } catch {
    return null
  }
}

/**
 * Shows what the person who is signed in saw last, with its age, until something newer comes. A version that reads answers otherwise than
 * the one that kept them leaves out what it cannot read.
 */
export function restoreSeen(client: QueryClient): void {
  const person = storedPerson()
  const seen = person === null ? null : readSeen(person)
  for (const [name, { endpoint, queryKey, toData }] of Object.entries(KEPT)) {
    const kept = seen?.answers?.[name]
    if (!kept) continue
    // It may be of an older version than this page.
    const answer = readAnswer(endpoint.answer, kept.answer, () => undefined)
    if (answer === null) continue
    restore(client, queryKey, toData(answer), kept.at)
    if (name === 'activity') restoreItem(client, answer as ActivityAnswer, kept.at)
  }
}

/** A mail leads to one item, which may be among those that were seen. */
function restoreItem(client: QueryClient, page: ActivityAnswer, at: number): void {
  const item = new URLSearchParams(location.search).get('item')
  if (item !== null && page.items.some(({ id }) => id.toLowerCase() === item.toLowerCase()))
    restore(client, activityQuery(item).queryKey, { pages: [page], pageParams: [null] }, at)
}

function restore(client: QueryClient, queryKey: QueryKey, data: unknown, updatedAt: number): void {
  if (client.getQueryData(queryKey) !== undefined) return
  // Kept, however long it takes until somebody looks at it.
  client.setQueryDefaults(queryKey, { gcTime: Number.POSITIVE_INFINITY })
  client.setQueryData(queryKey, data, { updatedAt })
  void client.invalidateQueries({ queryKey, exact: true, refetchType: 'none' })
}
