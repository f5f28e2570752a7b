import type { TraderProfile } from '@tradepost/contract/traders'
import { localFormat } from '../../lib/format.ts'

const monthFormat = localFormat({ month: 'short', year: 'numeric', timeZone: 'UTC' })

/** `since Apr 2026 · 28 closed`: the month of the first position (UTC), and how many are closed; a sentence where none is. */
export function standingText({
  since,
  closedPositions,
}: Pick<TraderProfile, 'since' | 'closedPositions'>): string {
  if (closedPositions === 0) return 'no closed positions yet'
  const closed = `${closedPositions} closed`
  return since == null ? closed : `since ${monthFormat(new Date(since))} · ${closed}`
}
