import type { Endpoint } from '@tradepost/contract/endpoint'
import { endpoints } from '@tradepost/contract/endpoints'
import { newId } from '../../src/platform/ids.ts'
import { makeTrader, NOTES, subscribe } from '../factories.ts'
import { putDiscountCode } from '../money/discount-code.ts'
import { insertSession, signIn, tokenOf } from '../sign-in/sign-in.ts'
import type { Person } from './two-people.ts'
import { openYesterday, takeKeyOf, type World } from './two-people-ask.ts'

/** A request of a person, well formed and with their own values. @property token of the sender, where that is not the person */
export type Sent = {
  params?: Record<string, string>
  query?: Record<string, string>
  body?: unknown
  headers?: Record<string, string>
  token?: string
}

/** @property answers what a person's own is answered, where it is not the contract's */
export type Call = {
  name: string
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  own: (world: World, person: Person) => Promise<Sent> | Sent
  answers: number
  streams?: boolean
}

type Own = Call['own']

const nothing: Own = () => ({})
/** The trader whom both people follow. */
const theTrader: Own = (_world, { followed }) => ({ query: { username: followed.username } })
const ownSubscription =
  (body?: object): Own =>
  async ({ testApp }, { followed, userId }) => {
    const { rows } = await testApp.pool.query<{ id: string }>(
      'select id from subscriptions where trader_id = $1 and subscriber_id = $2',
      [followed.userId, userId],
    )
    return { params: { id: rows[0]?.id ?? '' }, ...(body && { body }) }
  }

/** A trial of the person's with somebody of whom nobody else knows, whose end is planned already. */
export async function endedTrial({ testApp }: World, person: Person): Promise<string> {
  const id = await subscribe(testApp, person, await makeTrader(testApp), 'trialing')
  await testApp.pool.query('update subscriptions set trial_ends_at = $2, cancel_at = $2 where id = $1', [
    id,
    new Date(testApp.clock.now().getTime() + 7 * 86_400_000),
  ])
  return id
}

/** A month of the person's with somebody of whom nobody else knows, which was paid just now. */
export async function paidMonth({ testApp }: World, person: Person): Promise<string> {
  const trader = await makeTrader(testApp)
  const id = await subscribe(testApp, person, trader)
  await testApp.pool.query(
    `insert into invoices (trader_id, invoice_id, subscription_id, status, amount_due_cents, amount_paid_cents, currency, created_at,
       paid_at, synced_at)
     values ($1, $2, $3, 'paid', 1000, 1000, 'usd', $4, $4, $4)`,
    [trader.userId, `in_${id}`, id, testApp.clock.now()],
  )
  return id
}

async function offerTrial({ testApp }: World, trader: { userId: string }): Promise<void> {
  await testApp.pool.query(
    `insert into own_prices (trader_id, monthly_cents, monthly_since, currency, trial_days, changed_at)
     values ($1, 1000, $2, 'usd', 7, $2)
     on conflict do nothing`,
    [trader.userId, testApp.clock.now()],
  )
}

let symbols = 0
/** A ticker that nobody has. */
function newSymbol(): string {
  symbols += 1
  return `NEW${symbols
    .toString(26)
    .replaceAll(/\d/g, (digit) => 'QRSTUVWXYZ'.charAt(Number(digit)))
    .toUpperCase()}`
}

/** A session of somebody's that was not confirmed. @returns its id */
export async function newSession({ testApp }: World, { userId }: Person): Promise<string> {
  const now = testApp.clock.now()
  const stamps = { created_at: now, refreshed_at: now }
  const id = newId()
  await insertSession(testApp.db, {
    id,
    user_id: userId,
    aal: 'aal1',
    amr: '[]',
    successor_seen: true,
    ...stamps,
  })
  return id
}

const DISCOUNT = { off: '10 %', months: 3, maxUses: null, lastDay: null, currency: 'usd' }
let codes = 0

/** A trader's code that nobody has ended, beside none other. */
async function newCode(
  { testApp }: World,
  trader: { userId: string },
): Promise<{ id: string; code: string }> {
  codes += 1
  const code = `CODE${codes}`
  await testApp.pool.query('delete from discount_codes where trader_id = $1', [trader.userId])
  return { id: await putDiscountCode(testApp, trader, code), code }
}

async function openOrder(world: World, person: Person): Promise<Sent> {
  const symbol = newSymbol()
  const key = await takeKeyOf(world, person, symbol)
  return { body: { symbol, key, openNotes: NOTES, positionLength: 'one_to_three_weeks' } }
}

async function closeOrder(world: World, person: Person): Promise<Sent> {
  const symbol = newSymbol()
  await openYesterday(world, person, symbol)
  return { body: { symbol, key: await takeKeyOf(world, person, symbol), closeNotes: NOTES } }
}

async function ownPosition({ testApp }: World, { userId, username }: Person): Promise<Sent> {
  const { rows } = await testApp.pool.query<{ id: string }>(
    'select id from positions where trader_id = $1 and active order by id limit 1',
    [userId],
  )
  return { params: { username, id: rows[0]?.id ?? '' } }
}

/** The values that each call of the contract is sent. A new call has its values here, or nothing compiles. */
const OWN: Readonly<Record<keyof typeof endpoints, Own | [Own, answers: number]>> = {
  configuration: nothing,
  customer: nothing,
  setUpCustomer: nothing,
  customerSession: nothing,
  startOnboarding: [nothing, 409],
  payoutDashboard: nothing,
  payoutStatus: nothing,
  subscribers: nothing,
  desk: nothing,
  payouts: nothing,
  followingResults: nothing,
  switchRenewalMail: () => ({ body: { enabled: false } }),
  discountCodes: nothing,
  addDiscountCode: async (world, person) => {
    const { code } = await newCode(world, person)
    return { body: { ...DISCOUNT, code: `NEW${code}` } }
  },
  endDiscountCode: async (world, person) => ({ params: { id: (await newCode(world, person)).id } }),
  discount: async ({ testApp }, { followed }) => {
    await putDiscountCode(testApp, followed, 'OFFER')
    return { params: { username: followed.username, code: 'OFFER' } }
  },
  prices: nothing,
  // The same again change nothing, so this can be sent any number of times.
  setPrices: () => ({ body: { monthly: '12.50', yearly: '', currency: 'usd', trialDays: 7 } }),
  newSubscription: (_world, { unpaid }) => ({
    body: { username: unpaid.username, interval: 'month', priceCents: 1000 },
  }),
  subscriptions: nothing,
  subscriptionCheck: ownSubscription(),
  manageSubscription: ownSubscription(),
  invoices: nothing,
  // An invoice that Stripe does not know.
  openInvoice: [async (world, person) => ({ params: { id: `in_${await paidMonth(world, person)}` } }), 409],
  endTrial: async (world, person) => ({ params: { id: await endedTrial(world, person) } }),
  leaving: ownSubscription(),
  cancelSubscription: async (world, person) => ({ params: { id: await endedTrial(world, person) } }),
  keepSubscription: ownSubscription(),
  withdraw: async (world, person) => ({
    params: { id: await paidMonth(world, person) },
    body: { asOf: world.testApp.clock.now().toISOString() },
  }),
  switchSubscriptionMail: ownSubscription({ enabled: false }),
  agreeToPrice: ownSubscription({ priceCents: 1000 }),
  switchPositionMails: () => ({ body: { enabled: false } }),
  switchSubscriptionPush: ownSubscription({ enabled: false }),
  // Somebody who has no name yet.
  setUsername: async ({ testApp }) => ({
    body: { username: `new-${newSymbol()}` },
    token: await signIn(testApp).then((person) => tokenOf(testApp, person)),
  }),
  switchPublicPage: () => ({ body: { enabled: true } }),
  setAbout: () => ({ body: { about: 'Held for weeks, with reasons.' } }),
  showFollowers: () => ({ body: { shown: true } }),
  sessions: nothing,
  endSession: async (world, person) => ({ params: { id: await newSession(world, person) } }),
  secondStep: nothing,
  makeRecoveryCodes: nothing,
  closing: nothing,
  closeAccount: async ({ testApp }) => ({
    body: { confirm: true },
    token: await signIn(testApp).then((person) => tokenOf(testApp, person)),
  }),
  requestExport: nothing,
  search: theTrader,
  suggestions: theTrader,
  profile: theTrader,
  symbols: () => ({ query: { query: 'apple' } }),
  closedPositions: (_world, { closedCursor, followed }) => ({
    params: { username: followed.username },
    query: { sort: 'gain', order: 'asc', symbol: 'AAPL', month: '2026-03', after: closedCursor },
  }),
  positionHistory: ownPosition,
  trackRecord: (_world, { followed }) => ({
    params: { username: followed.username },
    query: { range: '1y' },
  }),
  leaderboard: nothing,
  offered: nothing,
  proven: nothing,
  preview: (_world, { opened }) => ({ body: { symbol: opened } }),
  openPosition: openOrder,
  closePosition: closeOrder,
  positions: nothing,
  marks: nothing,
  activity: (_world, { items }) => ({ query: { item: items[0] ?? '' } }),
  markActivityRead: (_world, { seen }) => ({ body: { seen } }),
  mailings: nothing,
  unreadActivity: nothing,
  feed: (_world, { resume }) => ({ headers: { 'last-event-id': resume } }),
  feedVersion: nothing,
  sendFeedback: () => ({ body: { feedback: 'The chart should show the opening price.' } }),
  push: nothing,
  turnOnPush: (_world, { browser }) => ({ body: browser }),
  turnOffPush: (_world, { device }) => ({ params: { id: device.id } }),
}

/** Calls whose fields leave each other out are sent twice. */
const ALSO: Partial<Record<keyof typeof endpoints, Own>> = {
  newSubscription: async (world, { unpaid }) => {
    await putDiscountCode(world.testApp, unpaid, 'OFFER')
    await offerTrial(world, unpaid)
    const terms = { interval: 'month', discountCode: 'OFFER', priceCents: 1000, trialDays: 7 }
    return { body: { username: unpaid.username, ...terms } }
  },
  activity: (_world, { activityCursor, followed }) => ({
    query: { after: activityCursor, trader: followed.username },
  }),
}

/** Every call of the contract; those that read come first. */
export const productCalls: Call[] = (Object.entries(endpoints) as [keyof typeof endpoints, Endpoint][])
  .flatMap(([name, { method, path, status, streams }]) => {
    const [own, answers] = [OWN[name]].flat() as [Own, number?]
    const call = { name, method, path, answers: answers ?? status ?? 200, ...(streams && { streams }) }
    const also = ALSO[name]
    return [{ ...call, own }, ...(also ? [{ ...call, name: `${name} (otherwise)`, own: also }] : [])]
  })
  .sort((one, other) => Number(one.method === 'POST') - Number(other.method === 'POST'))
