import type { SubscriptionStatus } from '@tradepost/contract/subscriptions'
import { afterAll, expect, test, vi } from 'vitest'
import { countUnread, markRead, readActivity } from '../../test/activity.ts'
import { buildTestApp, TEST_NOW } from '../../test/build-test-app.ts'
import { makeTrader, moveSubscription, subscribe, type Trader } from '../../test/factories.ts'
import { publish } from '../../test/followers.ts'
import { startQuoteServer } from '../../test/prices/quote-server.ts'
import { makeDraw } from '../../test/prices/trader-population.ts'
import { RACE_TIMEOUT_MS } from '../../test/rounds.ts'
import { type SignedIn, signIn } from '../../test/sign-in/sign-in.ts'

/** Acts of a history, and looks of everybody in it. */
const ACTS = Number(process.env.ACTIVITY_HISTORY ?? 240)
const SEED = Number(process.env.ACTIVITY_HISTORY_SEED ?? 42)
const LOOK_EVERY = 12

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
vi.setConfig({ testTimeout: RACE_TIMEOUT_MS })
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})

type World = {
  draw: ReturnType<typeof makeDraw>
  traders: Trader[]
  followers: SignedIn[]
  /** The live subscription of a pair. */
  live: Map<string, string>
  /** Of older pages, that may still be open. */
  seen: { who: SignedIn; text: string }[]
}

const STATUSES: readonly SubscriptionStatus[] = [
  'active',
  'trialing',
  'past_due',
  'paused',
  'unpaid',
  'canceled',
]

function pick<Thing>({ draw }: World, things: readonly Thing[]): Thing {
  return things[Math.floor(draw.uniform() * things.length)] as Thing
}

/** Publishes by a clock that may be behind the one of the event before. */
async function publishOne(world: World, nth: number): Promise<void> {
  const { userId, username } = pick(world, world.traders)
  const skew = Math.floor(world.draw.uniform() * 4) * 400
  const now = new Date(TEST_NOW.getTime() + nth * 1000 - skew)
  await publish(testApp.db, { traderId: userId, username }, { symbol: `S${nth}` }, now)
}

async function changeAPair(world: World): Promise<void> {
  const [trader, follower] = [pick(world, world.traders), pick(world, world.followers)]
  if (trader.userId === follower.userId) return
  const pair = `${trader.userId} ${follower.userId}`
  const id = world.live.get(pair)
  if (id === undefined) {
    world.live.set(pair, await subscribe(testApp, follower, trader))
    return
  }
  const status = pick(world, STATUSES)
  await moveSubscription(testApp, trader, id, status)
  if (status === 'canceled') world.live.delete(pair)
}

/** Switches mails off and on again, which changes nothing that Activity shows. */
async function mute(world: World): Promise<void> {
  await testApp.pool.query(
    'update subscriptions set mail_muted_at = case when mail_muted_at is null then $2::timestamptz end where subscriber_id = $1',
    [pick(world, world.followers).userId, TEST_NOW],
  )
}

/** As after a restore: numbers that no event has. */
async function leaveRoom(world: World): Promise<void> {
  await testApp.pool.query('update traders set last_event_no = last_event_no + 3 where trader_id = $1', [
    pick(world, world.traders).userId,
  ])
}

async function act(world: World, nth: number): Promise<void> {
  const luck = world.draw.uniform()
  if (luck < 0.72) return publishOne(world, nth)
  if (luck < 0.9) return changeAPair(world)
  if (luck < 0.93) return mute(world)
  if (luck < 0.95) return leaveRoom(world)
  const old = world.seen.length > 0 ? pick(world, world.seen) : null
  if (old) await markRead(testApp, old.who, old.text)
}

type Event = { trader: string; name: string; no: number; at: string }
type Subscription = { trader: string; from: number | null; until: number | null; earlier: string }

/** The same by the rule above the table of subscriptions, one event and one row after the other. */
async function recount(who: SignedIn): Promise<{ ids: string[]; unread: number; seen: string[] }> {
  const ask = async <Row>(text: string, values: unknown[] = []) =>
    (await testApp.pool.query(text, values)).rows as Row[]
  const events = await ask<Event>(`select trader_id as trader, username as name, event_no::int as no,
    to_char(event.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') as at
    from position_events event join accounts on user_id = trader_id`)
  const rows = await ask<Subscription>(
    `select trader_id as trader, entitled_from_event::int as from, entitled_until_event::int as until, earlier_windows::text as earlier
    from subscriptions where subscriber_id = $1`,
    [who.userId],
  )
  const read = await ask<{ trader: string; no: number }>(
    'select trader_id as trader, event_no::int as no from activity_reads where user_id = $1',
    [who.userId],
  )
  const isNew = ({ no, trader }: Event) =>
    trader !== who.userId && no > (read.find((row) => row.trader === trader)?.no ?? 0)
  const shown = events.filter(
    ({ no, trader }) =>
      trader === who.userId || rows.some((row) => row.trader === trader && receives(row, no)),
  )
  shown.sort(
    (one, other) => compare(other.at, one.at) || compare(other.trader, one.trader) || other.no - one.no,
  )
  const unread = shown.filter(isNew)
  const last = Map.groupBy(unread, ({ trader }) => trader)
  return {
    ids: shown.map((event) => `${event.name}.${event.no}${isNew(event) ? ' new' : ''}`),
    unread: Math.min(unread.length, 100),
    seen: [...last].map(([trader, of]) => `${trader} ${Math.max(...of.map(({ no }) => no))}`).toSorted(),
  }
}

function receives({ earlier, from, until }: Subscription, no: number): boolean {
  if (from !== null && from < no && (until === null || until >= no)) return true
  return [...earlier.matchAll(/\[(\d+),(\d*)\)/g)].some(
    ([, first, beyond]) => no >= Number(first) && (beyond === '' || no < Number(beyond)),
  )
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

/** All pages of somebody, and what marks the first one as read. */
async function look(world: World, who: SignedIn) {
  const ids: string[] = []
  let seen: string[] = []
  for (let query = ''; ; ) {
    const page = await readActivity(testApp, who, query)
    ids.push(...page.items.map(({ id, unread }) => `${id}${unread ? ' new' : ''}`))
    if (query === '' && page.seen !== null) {
      world.seen.push({ who, text: page.seen })
      seen = Buffer.from(page.seen, 'base64url').toString().split('\n').toSorted()
    }
    if (page.next === null) break
    query = `?after=${page.next}`
  }
  return { ids, unread: await countUnread(testApp, who), seen }
}

test('over random histories everybody sees, and has unread, what a plain recount by the rule finds', async () => {
  const traders = await Promise.all(Array.from({ length: 4 }, () => makeTrader(testApp)))
  const others = await Promise.all(Array.from({ length: 3 }, () => signIn(testApp)))
  const world: World = {
    draw: makeDraw(SEED),
    traders,
    // One of the traders follows others too.
    followers: [...others, traders[0] as Trader],
    live: new Map(),
    seen: [],
  }
  const counts: number[] = []
  for (let nth = 1; nth <= ACTS; nth += 1) {
    await act(world, nth)
    if (nth % LOOK_EVERY !== 0) continue
    for (const who of [...world.followers, traders[1] as Trader]) {
      const expected = await recount(who)
      expect(await look(world, who), `after ${nth} acts`).toEqual(expected)
      counts.push(expected.ids.length)
    }
  }
  // The counts prove something only with more than a page, and less than everything.
  expect(counts.filter((count) => count > 52).length).toBeGreaterThan(5)
  expect(counts.filter((count) => count < 25).length).toBeGreaterThan(5)
})
