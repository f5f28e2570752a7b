import type { SubscriptionStatus } from '@tradepost/contract/subscriptions'
import { expect } from 'vitest'
import { setUsername } from '../src/accounts/set-username.ts'
import { makeSecretKey } from '../src/auth/keys/secret-key.ts'
import { changeStatus, recordSubscription } from '../src/billing/entitlements/entitlement.ts'
import { withTransaction } from '../src/platform/database/queryable.ts'
import { newId } from '../src/platform/ids.ts'
import type { TestApp } from './build-test-app.ts'
import type { QuoteServer } from './prices/quote-server.ts'
import { bearer, type SignedIn, signIn, tokenOf } from './sign-in/sign-in.ts'

/** Notes of a legal length. */
export const NOTES = 'Bought for a reason that is long enough.'

export type Answer = { status: number; body: Record<string, unknown> & { code?: string; message?: string } }

/** One call as somebody with a token that is good now, or as a stranger. */
export async function call(
  testApp: TestApp,
  who: SignedIn | null,
  method: 'GET' | 'POST',
  url: string,
  payload?: object,
): Promise<Answer> {
  const response = await testApp.app.inject({
    method,
    url,
    headers: who ? bearer(await tokenOf(testApp, who)) : {},
    ...(payload && { payload }),
  })
  return { status: response.statusCode, body: response.json() }
}

export type Trader = SignedIn & { username: string }

let traders = 0

/** A signed-in user with a username: may publish. */
export async function makeTrader(testApp: TestApp, name?: string): Promise<Trader> {
  traders += 1
  const username = name ?? `trader${traders}`
  const person = await signIn(testApp)
  const caller = { userId: person.userId, sessionId: person.sessionId, email: person.email }
  const secret = makeSecretKey(testApp.settings.authSecret)
  await setUsername({ db: testApp.db, secret }, caller, username, testApp.clock.now())
  return { ...person, username }
}

/** Payouts as the payment provider would have completed them: from now on the trader can receive subscribers. */
export async function completePayouts(testApp: TestApp, person: SignedIn): Promise<void> {
  const now = testApp.clock.now()
  await testApp.db
    .insertInto('payout_accounts')
    .values({
      user_id: person.userId,
      stripe_account_id: `acct_${person.userId}`,
      transfers_status: 'active',
      state: 'ready',
      complete_at: now,
      created_at: now,
    })
    .execute()
}

/** @returns id of the subscription */
export function subscribe(
  testApp: TestApp,
  subscriber: SignedIn,
  trader: SignedIn,
  status: SubscriptionStatus = 'active',
): Promise<string> {
  return withTransaction(testApp.db, (tx) =>
    recordSubscription(
      tx,
      {
        traderId: trader.userId,
        subscriberId: subscriber.userId,
        status,
        priceCents: 1000,
        currency: 'usd',
        stripeSubscriptionId: `sub_${newId()}`,
        currentPeriodEnd: null,
        cancelAt: null,
      },
      testApp.clock.now(),
    ),
  )
}

export function moveSubscription(
  testApp: TestApp,
  trader: SignedIn,
  id: string,
  status: SubscriptionStatus,
): Promise<boolean> {
  const facts = { status, currentPeriodEnd: null, cancelAt: null }
  return withTransaction(testApp.db, (tx) =>
    changeStatus(tx, { traderId: trader.userId, id }, facts, testApp.clock.now()),
  )
}

/** As the refresher of marks does, so that a price is no surprise (ADR 0076). */
export async function setMark(
  { clock, db }: Pick<TestApp, 'clock' | 'db'>,
  symbol: string,
  price: number,
): Promise<void> {
  const mark = { price: String(price), quoted_at: clock.now(), answered_at: clock.now() }
  await db
    .insertInto('symbol_marks')
    .values({ symbol, ...mark })
    .onConflict((conflict) => conflict.column('symbol').doUpdateSet(mark))
    .execute()
}

/** Sets the price, which the market has come to by and by, checks it through the API and hands out the key. */
export async function takeKey(
  testApp: TestApp,
  quotes: QuoteServer,
  who: SignedIn,
  symbol: string,
  price: number,
): Promise<string> {
  quotes.set(symbol, { price, at: testApp.clock.now() })
  await setMark(testApp, symbol, price)
  const { status, body } = await call(testApp, who, 'POST', '/v1/positions/preview', { symbol })
  expect({ status, ...body }).toMatchObject({ status: 200 })
  return String(body.key)
}

/** Opens a position through the API at a price. */
export async function open(
  testApp: TestApp,
  quotes: QuoteServer,
  who: SignedIn,
  symbol: string,
  price: number,
): Promise<Answer> {
  const key = await takeKey(testApp, quotes, who, symbol, price)
  return call(testApp, who, 'POST', '/v1/positions/open', {
    symbol,
    key,
    openNotes: NOTES,
    positionLength: 'one_to_three_weeks',
  })
}

/** Closes a position through the API at a price. */
export async function close(
  testApp: TestApp,
  quotes: QuoteServer,
  who: SignedIn,
  symbol: string,
  price: number,
): Promise<Answer> {
  const key = await takeKey(testApp, quotes, who, symbol, price)
  return call(testApp, who, 'POST', '/v1/positions/close', { symbol, key, closeNotes: NOTES })
}

/** As an event does, so that positions that a test has written itself are read again (ADR 0070). */
export async function raiseEventNumber({ pool }: Pick<TestApp, 'pool'>, trader: SignedIn): Promise<void> {
  await pool.query('update traders set last_event_no = last_event_no + 1 where trader_id = $1', [
    trader.userId,
  ])
}

/** The columns that every call changes, refused or not. */
const SEEN = "'{seen_at,seen_ip,seen_user_agent}'::text[]"

/**
 * Every table's number of rows and a digest of what they hold, to see that a refusal changed nothing. Counters of limits
 * and when a session was last seen aside: refusals count too.
 */
export async function readTables(
  testApp: TestApp,
): Promise<Record<string, { count: number; digest: string }>> {
  const { rows: tables } = await testApp.pool.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname = 'public' and tablename not in ('provider_calls', 'rate_limits') order by 1`,
  )
  const parts = tables.map(
    ({ name }) => `select '${name}' as name, count(*)::int as count,
      md5(coalesce(string_agg(row::text, '|' order by row::text), '')) as digest
      from ${name === 'public.sessions' ? `(select to_jsonb(t) - ${SEEN} as row from ${name} t)` : `(select t as row from ${name} t)`} rows`,
  )
  const { rows } = await testApp.pool.query<{ name: string; count: number; digest: string }>(
    `${parts.join(' union all ')} order by 1`,
  )
  return Object.fromEntries(rows.map(({ name, count, digest }) => [name, { count, digest }]))
}
