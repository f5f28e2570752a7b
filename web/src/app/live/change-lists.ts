import type { Query, QueryClient, QueryKey, QueryState } from '@tanstack/react-query'
import type { FeedMessage } from '@tradepost/contract/feed'
import { ACTIVITY_UNREAD_MAX_COUNT } from '@tradepost/contract/limits'
import { type Mark, markOfOpening } from '@tradepost/contract/marks'
import type { Position } from '@tradepost/contract/positions'
import { accountQuery } from '../../features/account/account.api.ts'
import { ACTIVITY } from '../../features/activity/activity-keys.ts'
import { unreadQuery } from '../../features/activity/unread.api.ts'
import { DESK, PAYOUT_STATUS, PAYOUTS, SUBSCRIPTIONS } from '../../features/payments/payment-keys.ts'
import { CHANGED_BY_TRADING, marksQuery, positionsQuery } from '../../features/positions/positions.api.ts'
import { isAwaited, makeStale } from '../../lib/query-client.ts'
import { atHere } from '../../lib/server-time.ts'
import { settings } from '../../lib/settings.ts'

/** Queries that count positions are sent again within this, each page at a random moment: five hundred pages receive one event at once. */
const RANDOM_DELAY_MS = 2000
/** A list that was loaded this soon after a change may have been read before it was committed, and clocks differ. */
const UNCERTAIN_MS = 20_000

const [TRADING = ''] = CHANGED_BY_TRADING
/** First words of the keys of all data that a feed reports on. */
const SPOKEN_OF: readonly unknown[] = [TRADING, SUBSCRIPTIONS, ACTIVITY, DESK, PAYOUTS, PAYOUT_STATUS]

type Signal = Extract<FeedMessage, { position: unknown }>
type Changed = Extract<FeedMessage, { type: 'changed' }>

/**
 * Changes the loaded list as the event did, and has what is counted from positions asked again. The page's own action has done both already.
 * @param rights to prices, of the page
 * @returns whether it is news to the viewer
 */
export async function changeBy(
  client: QueryClient,
  signal: Signal,
  rights = settings.priceRights,
): Promise<boolean> {
  const { position } = signal
  const state = client.getQueryState(positionsQuery.queryKey)
  const isOwn = client.getQueryData(accountQuery.queryKey)?.username === position.user
  const isDoneHere = signal.type === 'opened' || signal.type === 'closed'
  if (isOwn && isDoneHere && state?.data && reflects(state.data, position)) return false
  // A list on its way was perhaps read before the event: its answer would undo the change. The first one is let in, and asked for again.
  const isFirst = state?.fetchStatus === 'fetching' && state.data === undefined
  const isLoading = state?.fetchStatus === 'fetching' && !isFirst
  if (isLoading) await client.cancelQueries({ queryKey: positionsQuery.queryKey })
  client.setQueryData(positionsQuery.queryKey, (listed) => listed && withEvent(listed, position), {
    updatedAt: state?.dataUpdatedAt ?? 0,
  })
  // An event that is sent again after a gap may be older than the failure. The failure counts as later only beyond the clocks' difference.
  const hasFailed = state?.status === 'error' && !hasFailedSince(state, atHere(signal.at) + UNCERTAIN_MS)
  if (isLoading || hasFailed) void makeStale(client, positionsQuery.queryKey)
  else if (state?.isInvalidated) keepStale(client, positionsQuery.queryKey)
  const isCounted = countUnread(client, signal, isOwn)
  // With lesser rights it is for the server to say what is shown of a price (rule G-130).
  const isMarked = rights === undefined && markOpening(client, signal)
  askSoon(client, ({ queryKey: [word, what, whose] }) => {
    if (word === ACTIVITY) return what !== 'unread' || !isCounted
    if (word !== TRADING) return false
    if (what === 'list') return isFirst
    if (what === 'marks') return !isMarked
    if (what === 'leaderboard' || what === 'proven') return signal.type !== 'opened'
    return whose === undefined || whose === position.user.toLowerCase()
  })
  return !isOwn
}

/**
 * Counts an event that the viewer has not seen, where that is certain: every follower's page is open when one comes, and would ask.
 * @returns whether the count needs no answer: it counts the event now, or did already
 */
function countUnread(client: QueryClient, { at }: Signal, isOwn: boolean): boolean {
  const state = client.getQueryState(unreadQuery.queryKey)
  if (state?.data === undefined || state.fetchStatus !== 'idle' || state.isInvalidated) return false
  const isKnown = client.getQueryData(accountQuery.queryKey) !== undefined
  if (!isKnown || Math.abs(state.dataUpdatedAt - atHere(at)) <= UNCERTAIN_MS) return false
  if (isOwn || state.dataUpdatedAt > atHere(at)) return true
  const unread = Math.min(state.data.unread + 1, ACTIVITY_UNREAD_MAX_COUNT)
  client.setQueryData(unreadQuery.queryKey, { unread }, { updatedAt: state.dataUpdatedAt })
  return true
}

/**
 * Puts an opening's price among the marks, as the server would answer: every follower's page would ask it within two seconds.
 * @returns whether the marks need no answer
 */
function markOpening(client: QueryClient, { at, position, type }: Signal): boolean {
  if (type !== 'opened') return type !== 'adjusted'
  const state = client.getQueryState(marksQuery.queryKey)
  if (state?.data === undefined || state.fetchStatus !== 'idle' || state.isInvalidated) return false
  // The marks were answered well after the event, so they contain it.
  if (state.dataUpdatedAt > atHere(at) + UNCERTAIN_MS) return true
  const opening = markOfOpening(position)
  const known = state.data.find(({ symbol }) => symbol === opening.symbol)
  if (known?.unpriced || known?.state === 'gone') return false
  if (known?.at && opening.at && known.at > opening.at) return true
  const others = state.data.filter((mark) => mark !== known)
  client.setQueryData(marksQuery.queryKey, [...others, opening], { updatedAt: state.dataUpdatedAt })
  return true
}

/** The library takes data that is put into a query for fresh. */
function keepStale(client: QueryClient, queryKey: QueryKey): void {
  void client.invalidateQueries({ queryKey, refetchType: 'none' })
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

/** Asks again for the queries that depend on the viewer's own subscriptions or payouts. */
export function changeOwn(client: QueryClient, { what }: Changed): void {
  const words: unknown[] =
    what === 'subscriptions' ? [SUBSCRIPTIONS, TRADING, ACTIVITY] : [PAYOUT_STATUS, PAYOUTS, DESK]
  // An item read on another device is no longer counted; the open list keeps showing its items as new.
  const isCount = ({ queryKey }: Query) => queryKey[0] === ACTIVITY && queryKey[1] === 'unread'
  void askAgain(client, what === 'activity' ? isCount : ({ queryKey }) => words.includes(queryKey[0]))
}

/** Puts marks into those that the page has asked for. */
export function changeMarks(client: QueryClient, marks: readonly Mark[]): void {
  const found = new Map(marks.map((mark) => [mark.symbol, mark]))
  const state = client.getQueryState(marksQuery.queryKey)
  client.setQueryData(marksQuery.queryKey, (asked) => asked?.map((mark) => found.get(mark.symbol) ?? mark), {
    updatedAt: state?.dataUpdatedAt ?? 0,
  })
  if (state?.isInvalidated) keepStale(client, marksQuery.queryKey)
}

/**
 * Asks again for answers that may be older than the last change, after a time in which this page received no feed.
 * @param changedAt by the clock of this device, ms; null for never
 * @param receivedUntil until when the page has received every event, ms; 0 for never
 */
export function catchUp(client: QueryClient, changedAt: number | null, receivedUntil: number): void {
  if (changedAt === null) return
  const sure = changedAt + UNCERTAIN_MS
  if (receivedUntil > sure) return
  void askAgain(client, ({ queryKey, state }) => {
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

/** Asks again, after a gap, for the queries whose events have no number in the feed. */
export function askUnnumbered(client: QueryClient): void {
  const words: unknown[] = [SUBSCRIPTIONS, PAYOUT_STATUS]
  void askAgain(
    client,
    ({ queryKey }) => words.includes(queryKey[0]) || (queryKey[0] === TRADING && queryKey[1] === 'marks'),
  )
}

/**
 * Asks again for all data that a feed would have reported on.
 * @param isChange false where nothing is known to have changed: failed queries are not asked again then
 */
export function askEverything(client: QueryClient, isChange: boolean): void {
  void askAgain(
    client,
    ({ queryKey, state }) => SPOKEN_OF.includes(queryKey[0]) && (isChange || state.status !== 'error'),
  )
}

/** Queries that a page is about to ask again for. */
const gathered = new WeakMap<QueryClient, ((query: Query) => boolean)[]>()

/** Events that come meanwhile are asked for together: a split is an event of each position. */
function askSoon(client: QueryClient, isMeant: (query: Query) => boolean): void {
  const earlier = gathered.get(client)
  earlier?.push(isMeant)
  if (earlier) return
  const all = [isMeant]
  gathered.set(client, all)
  setTimeout(() => {
    gathered.delete(client)
    void askAgain(client, (query) => all.some((one) => one(query)))
  }, Math.random() * RANDOM_DELAY_MS)
}

/**
 * Answers on their way may be too old. One that somebody waits for is let in, and asked for again: else nothing would come as long as events
 * are faster than answers.
 */
async function askAgain(client: QueryClient, predicate: (query: Query) => boolean): Promise<void> {
  const meant = client.getQueryCache().findAll({ predicate })
  const tooOld = meant.filter((query) => !isAwaited(query))
  await Promise.all(tooOld.map(({ queryKey }) => client.cancelQueries({ queryKey, exact: true })))
  await Promise.all(meant.map(({ queryKey }) => makeStale(client, queryKey)))
}
