import { gainNumber } from '@tradepost/contract/gain'
import type { HoldLength } from '@tradepost/contract/hold-length'
import type { ClosedPosition, Position } from '@tradepost/contract/positions'
import type { Strike } from '@tradepost/contract/strike'
import type { Whole } from '@tradepost/contract/whole'
import { type RawBuilder, sql } from 'kysely'
import { publicAtOf } from './public-at.ts'

/** A position as it is read wherever one is shown, open or closed. */
export type ShownPosition = {
  id: string
  /** As it is stored. */
  symbol: string
  holdLength: HoldLength
  /** Decimal text, US dollars. */
  openPrice: string
  openNotes: string
  openedAt: Date
  /** As it is stored. */
  publicAt: Date | null
  /** Null unless an operator has struck it (ADR 0079). */
  struckReason: string | null
  /** Null unless the ticker is another company's, since then (ADR 0082). */
  tickerLostOn: Date | null
}

/** The columns of `ShownPosition`. @param of name of the table in the statement */
export function shownColumns(of: string): RawBuilder<ShownPosition> {
  const p = sql.raw(of)
  return sql`${p}.id, ${p}.symbol, ${p}.hold_length as "holdLength", trim_scale(${p}.open_price) as "openPrice",
    ${p}.open_notes as "openNotes", ${p}.opened_at as "openedAt", ${p}.public_at as "publicAt", ${p}.struck_reason as "struckReason",
    ${p}.ticker_lost_on::timestamp at time zone 'UTC' as "tickerLostOn"`
}

/** @property companyName undefined where nobody found it */
export type Shown = { active: boolean; username: string; companyName: string | undefined }

/**
 * A position as the API answers it, in answers, lists and the feed; the trader by name, never by id (rule G-24: the price is a JSON
 * number).
 */
export function presentPosition(
  position: ShownPosition,
  { active, companyName, username }: Shown,
): Whole<Position> {
  return {
    id: position.id,
    active,
    stock: position.symbol,
    holdLength: position.holdLength,
    openNotes: position.openNotes,
    openPrice: Number(position.openPrice),
    openedAt: position.openedAt.toISOString(),
    user: username,
    publicAt: publicAtOf(position).toISOString(),
    companyName,
    ...presentStrike(position.struckReason),
  }
}

/** The fields of a list beside a struck position. @param reason null for one that is not struck */
export function presentStrike(reason: string | null): Whole<Strike> {
  return { struck: reason === null ? undefined : true, struckReason: reason ?? undefined }
}

/** The fields that a close adds. @property gain percent, decimal text */
export type ShownClose = { price: string; at: Date; notes: string; gain: string; unsettled: boolean }

/** A closed position as its trader is answered. */
export function presentClosed(
  position: ShownPosition,
  close: ShownClose,
  of: Omit<Shown, 'active'>,
): Whole<ClosedPosition> {
  return {
    ...presentPosition(position, { ...of, active: false }),
    closePrice: Number(close.price),
    closedAt: close.at.toISOString(),
    closeNotes: close.notes,
    percentageGain: gainNumber(close.gain),
    settled: settledOf(close),
  }
}

/** False until the first trade after the close gives it its price; absent from then on. */
export function settledOf({ unsettled }: { unsettled: boolean }): false | undefined {
  return unsettled ? false : undefined
}
