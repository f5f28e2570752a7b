import type { ActivityItem } from '@tradepost/contract/activity'
import { gainNumber } from '@tradepost/contract/gain'
import type { Whole } from '@tradepost/contract/whole'
import type { DirectoryNow } from '../quotes/symbols/directory.ts'
import type { EventRow } from './shown-events.ts'

/** The fields of an item that do not depend on the viewer. */
export type ShownOfEvent = Omit<
  ActivityItem,
  'id' | 'trader' | 'own' | 'unread' | 'mailedAfterSeconds' | 'mailing'
>

export function presentEvent(row: EventRow, directory: DirectoryNow): Whole<ShownOfEvent> {
  const companyName = directory.nameOf(row.symbol, row.tickerLostOn ?? row.closedAt)
  return {
    kind: row.kind,
    at: row.createdAt.toISOString(),
    positionId: row.id,
    symbol: row.symbol,
    companyName,
    holdLength: row.holdLength,
    openPrice: Number(row.openPrice),
    openedAt: row.openedAt.toISOString(),
    openNotes: row.openNotes,
    close: closeOf(row),
    settlement: settlementOf(row),
    split: splitOf(row),
    correction: correctionOf(row),
    strike: strikeOf(row),
    rename: renameOf(row),
  }
}

/** Of a close alone: a viewer who was entitled at the opening and not at the close does not see it here. */
function closeOf(row: EventRow): ActivityItem['close'] {
  const { closeNotes, closePrice, kind, percentageGain, quotedAt } = row
  if (kind !== 'closed' || closePrice === null || closeNotes === null || percentageGain === null)
    return undefined
  return {
    price: Number(closePrice),
    percentageGain: gainNumber(percentageGain),
    notes: closeNotes,
    ...(row.unsettled && { settled: false, tradedAt: quotedAt?.toISOString() }),
  }
}

/** Without the notes, which are for those who were entitled at the close. */
function settlementOf({ closePrice, kind, percentageGain, settledBy }: EventRow): ActivityItem['settlement'] {
  if (kind !== 'settled' || closePrice === null || percentageGain === null || settledBy === null)
    return undefined
  return { price: Number(closePrice), percentageGain: gainNumber(percentageGain), by: settledBy }
}

function correctionOf(row: EventRow): ActivityItem['correction'] {
  const { corrected, explained, priceAfter, priceBefore } = row
  if (corrected === null || explained === null || priceBefore === null || priceAfter === null)
    return undefined
  const prices = { priceBefore: Number(priceBefore), price: Number(priceAfter) }
  return { end: corrected, ...prices, reason: explained }
}

function renameOf({ symbolAfter, symbolBefore }: EventRow): ActivityItem['rename'] {
  return symbolBefore === null || symbolAfter === null ? undefined : { symbolBefore, symbolAfter }
}

function strikeOf({ adjustedFor, explained }: EventRow): ActivityItem['strike'] {
  return adjustedFor === 'struck' && explained !== null ? { reason: explained } : undefined
}

function splitOf(row: EventRow): ActivityItem['split'] {
  const { newShares, oldShares, openPriceAfter, openPriceBefore } = row
  if (newShares === null || oldShares === null || openPriceBefore === null || openPriceAfter === null)
    return undefined
  return {
    newShares,
    oldShares,
    openPriceBefore: Number(openPriceBefore),
    openPrice: Number(openPriceAfter),
  }
}
