import { percentageGain } from '@tradepost/contract/gain'
import { publicAt } from '@tradepost/contract/kept-plan'
import { setUsername } from '../../accounts/set-username.ts'
import { recordSubscription } from '../../billing/entitlements/entitlement.ts'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import { newId } from '../../platform/ids.ts'
import { recountStatistics } from '../../positions/record/recount-statistics.ts'
import { insertPastEvents, markPastRead } from './past-events.queries.ts'
import type { SeedPayments } from './seed-payments.ts'
import type { SeedPosition, World } from './world.ts'

const PRICE_DECIMALS = 2
const MONTH_MS = 30 * 86_400_000
/** Events of this time before now are still unread. */
const UNREAD_MS = 12 * 86_400_000
const BATCH = 500

type Money = { priceCents: number; currency: string }

/**
 * Writes a demo world: people who can sign in with a mailed code, traders with months of positions, and
 * followers. With the sandbox's Stripe the traders can receive subscribers, and the followers
 * are customers there who pay by card; without it nobody pays, and Stripe knows nothing of the subscriptions. People who
 * are there already are left alone, so seeding twice adds nothing.
 * @param deps.payments null where payments are Stripe's own: demo people have no business there
 * @returns how many people were new
 */
export async function seedWorld(
  deps: { db: Queryable; payments: SeedPayments | null },
  world: World,
  money: Money,
  now: Date,
): Promise<{ traders: number; subscribers: number; positions: number }> {
  const seeded: { userId: string; username: string }[] = []
  const newTraders: string[] = []
  let positions = 0
  for (const trader of world.traders) {
    const person = await ensurePerson(deps.db, trader.email, trader.username, now)
    const { username } = trader
    seeded.push({ userId: person.id, username })
    await deps.payments?.completePayouts({ userId: person.id, username }, now)
    if (!person.isNew) continue
    newTraders.push(person.id)
    positions += trader.positions.length
    await insertPositions(deps.db, person.id, trader.positions)
  }
  await recountStatistics(deps.db)
  let subscribers = 0
  for (const subscriber of world.subscribers) {
    const person = await ensurePerson(deps.db, subscriber.email, subscriber.username, now)
    await deps.payments?.setUpBilling(person.id, now)
    if (!person.isNew) continue
    subscribers += 1
    const followed = subscriber.follows.flatMap((index) => seeded[index] ?? [])
    if (deps.payments) await deps.payments.subscribe(person.id, followed, now)
    else await insertFollower(deps.db, person.id, followed, money, now)
  }
  // After everybody follows: they were entitled to it.
  for (const traderId of newTraders) await publishPast(deps.db, traderId, now)
  return { traders: newTraders.length, subscribers, positions }
}

async function publishPast(db: Queryable, traderId: string, now: Date): Promise<void> {
  await insertPastEvents(db, traderId, new Date(now.getTime() - MONTH_MS))
  await markPastRead(db, traderId, new Date(now.getTime() - UNREAD_MS))
}

async function ensurePerson(
  db: Queryable,
  email: string,
  username: string | null,
  now: Date,
): Promise<{ id: string; isNew: boolean }> {
  const known = await db.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst()
  if (known) return { id: known.id, isNew: false }
  const id = newId()
  const stamps = { created_at: now, updated_at: now }
  await withTransaction(db, async (tx) => {
    await tx
      .insertInto('users')
      .values({ id, email, email_confirmed_at: now, ...stamps })
      .execute()
    const identity = { sub: id, email, email_verified: true, phone_verified: false }
    await tx
      .insertInto('identities')
      .values({
        id: newId(),
        user_id: id,
        provider: 'email',
        provider_id: id,
        identity_data: identity,
        ...stamps,
      })
      .execute()
  })
  if (username) await setUsername({ db }, { userId: id, sessionId: '', email }, username, now)
  return { id, isNew: true }
}

async function insertPositions(db: Queryable, traderId: string, positions: SeedPosition[]): Promise<void> {
  const rows = positions.map((position) => positionRow(traderId, position))
  for (let from = 0; from < rows.length; from += BATCH) {
    await db
      .insertInto('positions')
      .values(rows.slice(from, from + BATCH))
      .execute()
  }
}

function positionRow(traderId: string, position: SeedPosition) {
  const { close } = position
  const openPrice = position.openPrice.toFixed(PRICE_DECIMALS)
  const closePrice = close?.price.toFixed(PRICE_DECIMALS) ?? null
  return {
    trader_id: traderId,
    id: newId(),
    symbol: position.symbol,
    hold_length: position.holdLength,
    open_price: openPrice,
    open_notes: position.openNotes,
    opened_at: position.openedAt,
    open_preview_id: newId(),
    close_price: closePrice,
    close_notes: close?.notes ?? null,
    closed_at: close?.at ?? null,
    close_preview_id: close && newId(),
    percentage_gain: closePrice && percentageGain(openPrice, closePrice),
    // Nothing is mailed about it: the history of the demo world lies in the past.
    public_at: publicAt(position),
  }
}

async function insertFollower(
  db: Queryable,
  subscriberId: string,
  traders: { userId: string }[],
  money: Money,
  now: Date,
): Promise<void> {
  for (const trader of traders) {
    await withTransaction(db, (tx) =>
      recordSubscription(
        tx,
        {
          traderId: trader.userId,
          subscriberId,
          status: 'active',
          currentPeriodEnd: new Date(now.getTime() + MONTH_MS),
          cancelAt: null,
          stripeSubscriptionId: null,
          ...money,
        },
        now,
      ),
    )
  }
}
