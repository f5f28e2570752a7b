import { percentageGain } from '@tradepost/contract/gain'
import { publicAt } from '@tradepost/contract/kept-plan'
import { setUsername } from '../../accounts/set-username.ts'
import { switchPublicPage } from '../../accounts/switch-public-page.ts'
import type { SecretKey } from '../../auth/keys/secret-key.ts'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import { newId } from '../../platform/ids.ts'
import { recountStatistics } from '../../positions/record/recount-statistics.ts'
import { insertPastEvents, markPastRead, markSynced } from './past-events.queries.ts'
import { insertFollowing, type Money, payPastMonths } from './past-followers.ts'
import type { SeedPayments } from './seed-payments.ts'
import type { SeedPosition, World } from './world.ts'

const PRICE_DECIMALS = 2
/** Events of this time before now are still unread. */
const UNREAD_MS = 12 * 86_400_000
const BATCH = 500

/**
 * Writes a demo world: people who can sign in with a mailed code, traders with months of positions and their events, and
 * followers who came over these months, some of whom left. With the sandbox's Stripe the traders can receive subscribers, and the
 * followers are customers there who pay by card from now on, what they paid before standing here alone; without it nobody pays, and
 * Stripe knows nothing of the subscriptions. People who are there already are left alone, so seeding twice adds nothing.
 * @param deps.payments null where payments are Stripe's own: demo people have no business there
 * @returns how many people were new
 */
export async function seedWorld(
  deps: { db: Queryable; secret: SecretKey; payments: SeedPayments | null },
  world: World,
  money: Money,
  now: Date,
): Promise<{ traders: number; subscribers: number; positions: number }> {
  const seeded: Seeded[] = []
  for (const [place, trader] of world.traders.entries()) {
    const person = await ensurePerson(deps, trader, trader.joinedAt)
    const { username } = trader
    seeded.push({ userId: person.id, username, isNew: person.isNew })
    await deps.payments?.completePayouts({ userId: person.id, username }, now)
    if (!person.isNew) continue
    await insertPositions(deps.db, person.id, trader.positions)
    // Half of them are named on the landing page.
    if (place % 2 === 0) await switchPublicPage(deps.db, { userId: person.id }, true, trader.joinedAt)
  }
  await recountStatistics(deps.db)
  let subscribers = 0
  for (const subscriber of world.subscribers) {
    const person = await ensurePerson(deps, subscriber, subscriber.joinedAt)
    await deps.payments?.setUpBilling(person.id, now)
    if (!person.isNew) continue
    subscribers += 1
    await follow(deps, { ...subscriber, id: person.id }, seeded, { money, now })
  }
  // Once everybody follows at the price of before.
  for (const [place, { isNew, userId }] of seeded.entries()) {
    const terms = world.traders[place]?.terms
    if (isNew && terms) await deps.payments?.offer({ userId }, terms, now)
  }
  const newTraders = seeded.filter(({ isNew }) => isNew)
  for (const { userId } of newTraders) await publishPast(deps.db, userId, money, now)
  const isNew = ({ username }: { username: string }) => newTraders.some((one) => one.username === username)
  const positions = world.traders.filter(isNew).flatMap((trader) => trader.positions).length
  return { traders: newTraders.length, subscribers, positions }
}

type Seeded = { userId: string; username: string; isNew: boolean }

/** A trader who was there before has no past with anybody new. */
async function follow(
  { db, payments }: { db: Queryable; payments: SeedPayments | null },
  { follows, id }: { id: string; follows: World['subscribers'][number]['follows'] },
  seeded: readonly Seeded[],
  { money, now }: { money: Money; now: Date },
): Promise<void> {
  const followed = follows.flatMap(({ since, trader, until }) => {
    const one = seeded[trader]
    if (!one || (until && !one.isNew)) return []
    return [{ ...one, since: one.isNew ? since : now, until }]
  })
  const [left, paying] = [followed.filter(({ until }) => until), followed.filter(({ until }) => !until)]
  const written = payments ? left : followed
  for (const { since, until, userId } of written)
    await insertFollowing(db, { traderId: userId, subscriberId: id, since, until }, money, now)
  await payments?.subscribe(id, paying, now)
}

/** After everybody follows: who is told of an event depends on when they came. */
async function publishPast(db: Queryable, traderId: string, money: Money, now: Date): Promise<void> {
  await insertPastEvents(db, traderId)
  await markPastRead(db, traderId, new Date(now.getTime() - UNREAD_MS))
  await payPastMonths(db, traderId, money, now)
  await markSynced(db, traderId, now)
}

async function ensurePerson(
  { db, secret }: { db: Queryable; secret: SecretKey },
  { email, username }: { email: string; username: string | null },
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
  if (username) await setUsername({ db, secret }, { userId: id, sessionId: '', email }, username, now)
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
    unsettled: close?.unsettled ?? false,
    percentage_gain: closePrice && percentageGain(openPrice, closePrice),
    // Nothing is mailed about it: the history of the demo world lies in the past.
    public_at: publicAt(position),
  }
}
