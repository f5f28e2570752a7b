import type { HoldLength } from '@tradepost/contract/hold-length'
import { sql } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { PositionKey } from '../record/adjustments.queries.ts'

/**
 * Active positions whose traders are to be mailed by now that they become public, the longest due first, without struck ones.
 */
export async function listUnannounced(
  db: Queryable,
  due: { now: Date; limit: number },
): Promise<PositionKey[]> {
  const { rows } = await sql<PositionKey>`
    select trader_id as "traderId", id from positions
    where public_mail_due <= ${due.now} and closed_at is null and struck_at is null
    order by public_mail_due limit ${due.limit}`.execute(db)
  return rows
}

export type AnnouncedPosition = {
  symbol: string
  holdLength: HoldLength
  /** Decimal text, US dollars. */
  openPrice: string
  openedAt: Date
  publicAt: Date
}

/** Notes that the trader is mailed, in the transaction that queues the mail. @returns null where they are already, or it has ended */
export async function claimMail(tx: Queryable, key: PositionKey): Promise<AnnouncedPosition | null> {
  const row = await tx
    .updateTable('positions')
    .set({ public_mail_due: null })
    .where('trader_id', '=', key.traderId)
    .where('id', '=', key.id)
    .where('public_mail_due', 'is not', null)
    .where('closed_at', 'is', null)
    .where('struck_at', 'is', null)
    .returning([
      'symbol',
      'hold_length as holdLength',
      'open_price as openPrice',
      'opened_at as openedAt',
      'public_at as publicAt',
    ])
    .$narrowType<{ publicAt: Date }>()
    .executeTakeFirst()
  return row ?? null
}
