import type { Query, QueryClient, QueryState } from '@tanstack/react-query'
import type { FeedMessage } from '@tradepost/contract/feed'
import type { Mark } from '@tradepost/contract/marks'
import type { Position } from '@tradepost/contract/positions'
import { accountQuery } from '../../features/account/account.api.ts'
import { deskQuery, payoutsQuery } from '../../features/payments/desk.api.ts'
import { payoutStatusQuery, subscriptionsQuery } from '../../features/payments/payments.api.ts'
import { CHANGED_BY_TRADING, marksQuery, positionsQuery } from '../../features/positions/positions.api.ts'
import { isAddingPage, makeStale } from '../../lib/query-client.ts'
import { atHere } from '../../lib/server-time.ts'

/** What counts positions is asked again within this, each page at a moment of its own: five hundred hear of an event at once. */
const SPREAD_MS = 2000
/** A list that was loaded this soon after a change may have been read before it was committed, and clocks differ. */
const DOUBTFUL_MS = 20_000

const [TRADING = ''] = CHANGED_BY_TRADING
const [SUBSCRIPTIONS = ''] = subscriptionsQuery.queryKey
/** First words of the keys of everything that a feed speaks of. */
const SPOKEN_OF: readonly unknown[] = [
  TRADING,
  SUBSCRIPTIONS,
  'activity',
  ...deskQuery.queryKey,
  ...payoutsQuery.queryKey,
  ...payoutStatusQuery.queryKey,
]

type Signal = Extract<FeedMessage, { position: unknown }>
type Changed = Extract<FeedMessage, { type: 'changed' }>

/**
 * Changes the loaded list as the event did, and has what is counted from positions asked again. The page's own action has done both already.
 * @returns whether it is news to the viewer
 */
export async function changeBy(client: QueryClient, signal: Signal): Promise<boolean> {
  const { position } = signal
  const state = client.getQueryState(positionsQuery.queryKey)
  const isOwn = client.getQueryData(accountQuery.queryKey)?.username === position.user
  if (isOwn && state?.data && reflects(state.data, position)) return false
  // A list on its way was perhaps read before the event: its answer would undo the change.
  const isLoading = state?.fetchStatus === 'fetching'
  if (isLoading) await client.cancelQueries({ queryKey: positionsQuery.queryKey })
  client.setQueryData(positionsQuery.queryKey, (listed) => listed && withEvent(listed, position), {
    updatedAt: state?.dataUpdatedAt ?? 0,
  })
  // One that is said again after a gap may be of before the failure, for certain where the clocks cannot be what differs.
  const hasFailed = state?.status === 'error' && !hasFailedSince(state, atHere(signal.at) + DOUBTFUL_MS)
  if (isLoading || hasFailed) void makeStale(client, positionsQuery.queryKey)
  askSoon(client, ({ queryKey: [word, what, whose] }) => {
    if (word === 'activity') return true
    if (word !== TRADING || what === 'list') return false
    if (what === 'leaderboard' || what === 'proven') return signal.type !== 'opened'
    return whose === undefined || whose === position.user.toLowerCase()
  })
  return !isOwn
}

function reflects(listed: readonly Position[], position: Position): boolean {
  const found = listed.find(({ id }) => id === position.id)
  if (!position.active) return found === undefined
  return (
    found?.openPrice === position.openPrice &&
    found.struck === position.struck &&
    found.stock === position.stock
  )
}

function withEvent(listed: Position[], position: Position): Position[] {
  const others = listed.filter(({ id }) => id !== position.id)
  return position.active ? [position, ...others] : others
}

/** What the viewer's own subscriptions or payouts decide is asked again. */
export function changeOwn(client: QueryClient, { what }: Changed): void {
  const words: unknown[] =
    what === 'subscriptions'
      ? [SUBSCRIPTIONS, TRADING, 'activity']
      : [...payoutStatusQuery.queryKey, ...payoutsQuery.queryKey, ...deskQuery.queryKey]
  // What one has read on another device is no longer counted; the open list keeps what it shows as new.
  const isCount = ({ queryKey }: Query) => queryKey[0] === 'activity' && queryKey[1] === 'unread'
  void askAnew(client, what === 'activity' ? isCount : ({ queryKey }) => words.includes(queryKey[0]))
}

/** Puts marks into those that the page has asked for. */
export function changeMarks(client: QueryClient, marks: readonly Mark[]): void {
  const found = new Map(marks.map((mark) => [mark.symbol, mark]))
  const updatedAt = client.getQueryState(marksQuery.queryKey)?.dataUpdatedAt ?? 0
  client.setQueryData(marksQuery.queryKey, (asked) => asked?.map((mark) => found.get(mark.symbol) ?? mark), {
    updatedAt,
  })
}

/**
 * Asks again what may have been read before the last change, after a time in which this page did not hear.
 * @param changedAt by the clock of this device, ms; null for never
 * @param heardUntil until when the page has heard everything, ms; 0 for never
 */
export function catchUp(client: QueryClient, changedAt: number | null, heardUntil: number): void {
  if (changedAt === null) return
  const sure = changedAt + DOUBTFUL_MS
  if (heardUntil > sure) return
  void askAnew(client, ({ queryKey, state }) => {
    if (!SPOKEN_OF.includes(queryKey[0])) return false
    if (hasFailedSince(state, changedAt)) return false
    const isFirst = state.data === undefined && state.fetchStatus === 'fetching'
    return isFirst ? Date.now() < sure : state.dataUpdatedAt < sure
  })
}

/**
 * A question that failed counts as asked: what is not to be retried waits for a change after it (docs/specification.md section 9).
 * @param changedAt by the clock of this device, ms
 */
function hasFailedSince({ status, errorUpdatedAt }: QueryState, changedAt: number): boolean {
  return status === 'error' && errorUpdatedAt >= changedAt
}

/** What has no number in the feed is asked again after a gap. */
export function askUnnumbered(client: QueryClient): void {
  const words: unknown[] = [SUBSCRIPTIONS, ...payoutStatusQuery.queryKey]
  void askAnew(
    client,
    ({ queryKey }) => words.includes(queryKey[0]) || (queryKey[0] === TRADING && queryKey[1] === 'marks'),
  )
}

/**
 * Everything that a feed would have spoken of.
 * @param isChange false where nothing is known to have changed: what has failed is not asked again then
 */
export function askEverything(client: QueryClient, isChange: boolean): void {
  void askAnew(
    client,
    ({ queryKey, state }) => SPOKEN_OF.includes(queryKey[0]) && (isChange || state.status !== 'error'),
  )
}

function askSoon(client: QueryClient, isMeant: (query: Query) => boolean): void {
  setTimeout(() => void askAnew(client, isMeant), Math.random() * SPREAD_MS)
}

/**
 * Answers on their way may be too old, the first one too, which invalidating alone would let in. A further page of a list is let in: all of it is asked
 * anew after it.
 */
async function askAnew(client: QueryClient, predicate: (query: Query) => boolean): Promise<void> {
  const meant = client.getQueryCache().findAll({ predicate })
  const tooOld = meant.filter((query) => !isAddingPage(query))
  await Promise.all(tooOld.map(({ queryKey }) => client.cancelQueries({ queryKey, exact: true })))
  await Promise.all(meant.map(({ queryKey }) => makeStale(client, queryKey)))
}
