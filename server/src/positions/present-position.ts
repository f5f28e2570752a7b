import type { Position } from '@tradepost/contract/positions'
import type { Strike } from '@tradepost/contract/strike'
import type { ActivePosition } from './positions.queries.ts'
import { publicAtOf } from './public-at.ts'

/** A position as the API answers it; the trader by name, never by id (decision G-24: the price is a JSON number). */
export function presentPosition(position: ActivePosition, active: boolean): Position {
  return {
    id: position.id,
    active,
    stock: position.symbol,
    holdLength: position.holdLength,
    openNotes: position.openNotes,
    openPrice: Number(position.openPrice),
    openedAt: position.openedAt.toISOString(),
    user: position.username,
    publicAt: publicAtOf(position).toISOString(),
    ...(position.companyName === null ? {} : { companyName: position.companyName }),
  }
}

/** What a list says beside a struck position (decision 0079). @param reason null for one that is not struck */
export function presentStrike(reason: string | null): Strike {
  return reason === null ? {} : { struck: true, struckReason: reason }
}
