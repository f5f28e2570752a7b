import type { DiscountCode } from '@tradepost/contract/discount-code'
import { sql } from 'kysely'
import { compiledQuery, type Queryable } from '../../platform/database/queryable.ts'

/** A trader's code; server/migrations/0020_discount_codes.sql explains it. @property uses subscriptions that began with it */
export type StoredCode = DiscountCode & {
  id: string
  traderId: string
  currency: string
  stripePromotionCodeId: string | null
  uses: number
}

type Key = { traderId: string; id: string }

const columns = sql`discount.id, discount.trader_id as "traderId", discount.code, discount.percent_off as "percentOff",
      discount.amount_off_cents as "amountOffCents", discount.currency, discount.months, discount.max_uses as "maxUses",
      to_char(discount.last_day, 'YYYY-MM-DD') as "lastDay", discount.stripe_promotion_code_id as "stripePromotionCodeId",
      (select count(*) from checkout_sessions used
        where used.trader_id = discount.trader_id and used.discount_code_id = discount.id and used.state = 'completed')::int as uses`

/** The codes of a trader that nobody has ended, the newest first; also those past their last day or uses. */
export function listCodes(db: Queryable, traderId: string): Promise<StoredCode[]> {
  return selectCodes(db, { traderId })
}

const selectCodes = compiledQuery(
  (_db, { traderId }: { traderId: string }) => sql<StoredCode>`
    select ${columns} from discount_codes discount
    where discount.trader_id = ${traderId} and discount.ended_at is null order by discount.created_at desc, discount.id desc`,
)

/** One that a trader has not ended, by its name. */
export async function findCode(db: Queryable, traderId: string, code: string): Promise<StoredCode | null> {
  const [row] = await selectCode(db, { traderId, code })
  return row ?? null
}

const selectCode = compiledQuery(
  (_db, { code, traderId }: { traderId: string; code: string }) => sql<StoredCode>`
    select ${columns} from discount_codes discount
    where discount.trader_id = ${traderId} and discount.code = ${code} and discount.ended_at is null`,
)

/** Whether somebody has begun a subscription with a code before. */
export async function hasUsed(db: Queryable, key: Key, subscriberId: string): Promise<boolean> {
  const row = await db
    .selectFrom('checkout_sessions')
    .select('id')
    .where('trader_id', '=', key.traderId)
    .where('discount_code_id', '=', key.id)
    .where('subscriber_id', '=', subscriberId)
    .where('state', '=', 'completed')
    .executeTakeFirst()
  return row !== undefined
}

/** @throws a unique violation when the trader has one of this name */
export async function insertCode(
  tx: Queryable,
  key: Key,
  code: DiscountCode & { currency: string },
  now: Date,
): Promise<void> {
  await tx
    .insertInto('discount_codes')
    .values({
      trader_id: key.traderId,
      id: key.id,
      code: code.code,
      percent_off: code.percentOff,
      amount_off_cents: code.amountOffCents,
      currency: code.currency,
      months: code.months,
      max_uses: code.maxUses,
      last_day: code.lastDay === null ? null : sql<Date>`${code.lastDay}::date`,
      created_at: now,
    })
    .execute()
}

export async function storePromotionCode(db: Queryable, key: Key, stripeId: string): Promise<void> {
  await db
    .updateTable('discount_codes')
    .set({ stripe_promotion_code_id: stripeId })
    .where('trader_id', '=', key.traderId)
    .where('id', '=', key.id)
    .execute()
}

/** @returns whether there was one that had not been ended */
export async function endCode(tx: Queryable, key: Key, now: Date): Promise<boolean> {
  const result = await tx
    .updateTable('discount_codes')
    .set({ ended_at: now })
    .where('trader_id', '=', key.traderId)
    .where('id', '=', key.id)
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** Stripe's id of an ended code; null for one that goes on, and where Stripe never had it. */
export async function findEndedPromotionCode(db: Queryable, key: Key): Promise<string | null> {
  const row = await db
    .selectFrom('discount_codes')
    .select('stripe_promotion_code_id')
    .where('trader_id', '=', key.traderId)
    .where('id', '=', key.id)
    .where('ended_at', 'is not', null)
    .executeTakeFirst()
  return row?.stripe_promotion_code_id ?? null
}
