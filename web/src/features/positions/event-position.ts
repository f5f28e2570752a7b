import type { ActivityItem } from '@tradepost/contract/activity'
import type { Position } from '@tradepost/contract/positions'
import type { PositionEnd } from './position-facts.tsx'

/** The position of an event of Activity, as the event has it: of one that is in no list any more. */
export function positionOf(item: ActivityItem): Position {
  const { companyName, holdLength, openedAt, openNotes, openPrice, positionId, symbol, trader } = item
  return {
    id: positionId,
    active: false,
    stock: symbol,
    holdLength,
    openNotes,
    openPrice,
    openedAt,
    user: trader,
    ...(companyName !== undefined && { companyName }),
  }
}

/** The end of a position that an event reports; undefined of any other event. */
export function endOf({ close, settlement }: ActivityItem): PositionEnd | undefined {
  const end = close ?? settlement
  return (
    end && {
      price: end.price,
      percentageGain: end.percentageGain,
      isSettled: close?.settled !== false,
      notes: close?.notes,
    }
  )
}
