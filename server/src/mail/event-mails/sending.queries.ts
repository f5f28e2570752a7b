import type { HoldLength } from '@tradepost/contract/hold-length'
import type { Queryable } from '../../platform/database/queryable.ts'
import { companyNameOf } from '../../quotes/symbols/company-name-of.ts'

/** The content of an event's mails. */
export type EventStory = {
  kind: 'opened' | 'closed' | 'adjusted'
  at: Date
  trader: string | null
  symbol: string
  /** As it is kept; null where nobody has found it out. */
  companyName: string | null
  holdLength: HoldLength
  openPrice: string
  openedAt: Date
  openNotes: string
  closePrice: string | null
  closeNotes: string | null
  percentageGain: string | null
  /** Of the close, while its price is that of the last trade. */
  unsettled: boolean
  quotedAt: Date | null
  /** Set for the event of a split; prices of one share each. */
  split: { newShares: number; oldShares: number; openPriceBefore: string; openPrice: string } | null
  /** Set for the event of a corrected price. */
  correction: { end: 'open' | 'close'; priceBefore: string; price: string; reason: string } | null
  /** Set for the event of a share that trades under another ticker since. */
  rename: { symbolBefore: string; symbolAfter: string } | null
  /** Set for the event of a position that an operator has struck. */
  strike: { reason: string } | null
}

type EventKey = { traderId: string; eventNo: number }

/** @returns null when the event went with its trader */
export async function findEventStory(db: Queryable, event: EventKey): Promise<EventStory | null> {
  const row = await selectStory(db, event)
  if (!row) return null
  const { corrected, explained, newShares, oldShares, openPriceAfter, openPriceBefore, ...rest } = row
  const { adjustedFor, priceAfter, priceBefore, symbolAfter, symbolBefore, ...story } = rest
  const isSplit =
    newShares !== null && oldShares !== null && openPriceBefore !== null && openPriceAfter !== null
  const split = isSplit ? { newShares, oldShares, openPriceBefore, openPrice: openPriceAfter } : null
  const isCorrection = corrected !== null && priceBefore !== null && priceAfter !== null && explained !== null
  const end = corrected as 'open' | 'close'
  const correction = isCorrection ? { end, priceBefore, price: priceAfter, reason: explained } : null
  const rename = symbolBefore !== null && symbolAfter !== null ? { symbolBefore, symbolAfter } : null
  const strike = adjustedFor === 'struck' && explained !== null ? { reason: explained } : null
  return { ...story, kind: story.kind as EventStory['kind'], split, correction, rename, strike }
}

function selectStory(db: Queryable, event: EventKey) {
  return db
    .selectFrom('position_events as event')
    .innerJoin('positions as position', (join) =>
      join.onRef('position.trader_id', '=', 'event.trader_id').onRef('position.id', '=', 'event.position_id'),
    )
    .leftJoin('accounts as account', 'account.user_id', 'event.trader_id')
    .leftJoin('position_adjustments as split', (join) =>
      join.onRef('split.trader_id', '=', 'event.trader_id').onRef('split.event_no', '=', 'event.event_no'),
    )
    .select([
      'event.kind',
      'event.created_at as at',
      'account.username as trader',
      'position.symbol',
      companyNameOf('position').as('companyName'),
      'position.hold_length as holdLength',
      'position.open_price as openPrice',
      'position.opened_at as openedAt',
      'position.open_notes as openNotes',
      'position.close_price as closePrice',
      'position.close_notes as closeNotes',
      'position.percentage_gain as percentageGain',
      'position.unsettled',
      'position.close_quoted_at as quotedAt',
      'split.new_shares as newShares',
      'split.old_shares as oldShares',
      'split.open_price_before as openPriceBefore',
      'split.open_price_after as openPriceAfter',
      'split.corrected',
      'split.price_before as priceBefore',
      'split.price_after as priceAfter',
      'split.explained',
      'split.reason as adjustedFor',
      'split.symbol_before as symbolBefore',
      'split.symbol_after as symbolAfter',
    ])
    .where('event.trader_id', '=', event.traderId)
    .where('event.event_no', '=', event.eventNo)
    .executeTakeFirst()
}
