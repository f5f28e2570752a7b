import assert from 'node:assert/strict'
import type { Figures } from '../../server/test/attacks/guess-codes.ts'
import { followEveryCent } from '../../server/test/money/follow-every-cent.ts'
import type { MoneyLoad } from './money-load.ts'

const MOST = { limit: 10_000 }
const PAGE = { limit: 100 }

/**
 * Checks the result of a load run: Stripe has every customer, account and price once; every person follows every trader,
 * except traders who left; each payment was returned at most once; and every cent is accounted for.
 * @throws when one of these does not hold
 */
export async function checkMarket(load: MoneyLoad): Promise<Figures> {
  const { database, sandbox, stripe } = load.scenario
  const traders = [...load.traders, ...load.left]
  const ids = (all: { userId: string }[]) => all.map(({ userId }) => userId).sort()

  const customers = await stripe.customers.list(PAGE).autoPagingToArray(MOST)
  assert.deepEqual(customers.map(({ metadata }) => metadata.user_id).sort(), ids(load.people), 'customers')
  const accounts: (string | undefined)[] = []
  for (const closed of [false, true])
    for await (const { metadata } of stripe.v2.core.accounts.list({ closed }))
      accounts.push(metadata?.user_id)
  assert.deepEqual(accounts.sort(), ids(traders), 'accounts')
  const prices = await stripe.prices.list({ ...PAGE, active: true }).autoPagingToArray(MOST)
  assert.deepEqual(prices.map(({ metadata }) => metadata.trader_id).sort(), ids(traders), 'prices')

  const live = await stripe.subscriptions.list(PAGE).autoPagingToArray(MOST)
  const pairs = load.people.flatMap(({ userId }) =>
    load.traders.map((trader) => `${userId} ${trader.userId}`),
  )
  assert.deepEqual(live.map(pairOf).sort(), pairs.toSorted(), 'subscriptions')
  const { rows } = await database.pool.query<{ pair: string }>(
    `select subscriber_id || ' ' || trader_id as pair from subscriptions where status = 'active'`,
  )
  assert.deepEqual(rows.map(({ pair }) => pair).sort(), pairs.toSorted(), 'subscriptions here')

  const open = await stripe.checkout.sessions.list({ ...PAGE, status: 'open' }).autoPagingToArray(MOST)
  const payable = open.filter(({ url }) => load.pages.has(url ?? ''))
  assert.deepEqual(
    payable.map(({ id }) => id),
    [],
    'somebody can pay a second time',
  )
  return {
    customers: customers.length,
    accounts: accounts.length,
    prices: prices.length,
    'live subscriptions': live.length,
    'pages that nobody was led to': open.length,
    ...(await checkReturned(load)),
    ...(await followEveryCent({ pool: database.pool, sandbox, stripe }, traders)),
  }
}

const pairOf = ({ metadata }: { metadata: Record<string, string> }) =>
  `${metadata.subscriber_id} ${metadata.trader_id}`

/**
 * Checks refunds, which carry their cause: each payment that had to be returned was, none twice, none without a reason.
 * Fate may have been faster: a refund of all of it, or a bank that took it, leaves nothing to return. A second
 * subscription is returned whole; when a trader leaves, the unused part is.
 */
async function checkReturned({ scenario }: MoneyLoad): Promise<Figures> {
  const { database, stripe } = scenario
  const refunds = await stripe.refunds.list(PAGE).autoPagingToArray(MOST)
  const causes = refunds.flatMap(({ charge, metadata }) =>
    metadata?.cause ? [`${charge} ${metadata.cause}`] : [],
  )
  assert.equal(new Set(causes).size, causes.length, 'a payment was returned twice')
  const { rows } = await database.pool.query<{ charge: string; cause: string }>(
    `select charge_id as charge, end_reason as cause from invoices
     join subscriptions on subscriptions.id = invoices.subscription_id
     where end_reason in ('double', 'trader_unavailable') and amount_paid_cents > 0`,
  )
  const owed = new Set(rows.map(({ cause, charge }) => `${charge} ${cause}`))
  assert.deepEqual(
    causes.filter((cause) => !owed.has(cause)),
    [],
    'a payment was returned without a reason',
  )
  let taken = 0
  for (const { cause, charge: id } of rows) {
    const { amount, amount_refunded } = await stripe.charges.retrieve(id)
    const isReturned = amount === amount_refunded || causes.includes(`${id} ${cause}`)
    if (isReturned && (cause !== 'double' || amount === amount_refunded)) continue
    const { data } = await stripe.disputes.list({ charge: id, limit: 1 })
    assert.equal(
      data[0]?.status,
      'lost',
      `${id} (${cause}): ${amount - amount_refunded} cents are left of it`,
    )
    taken += 1
  }
  return { 'payments returned by the product': causes.length, 'taken by the bank before': taken }
}
