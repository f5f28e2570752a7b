import type { TraderProfile } from '@tradepost/contract/traders'
import { localFormat } from '../../lib/format.ts'
import { cn } from '../../ui/cn.ts'

const monthFormat = localFormat({ month: 'short', year: 'numeric', timeZone: 'UTC' })

type TraderStandingProps = {
  trader: Pick<TraderProfile, 'since' | 'closedPositions'>
  className?: string
}

/** Beside a Subscribe button: since when the trader publishes and how much of it is closed, so that nobody takes a newcomer for more. */
export function TraderStanding({ trader, className }: TraderStandingProps) {
  return <p className={cn('text-sm text-muted-foreground tabular-nums', className)}>{standingText(trader)}</p>
}

/** `since Apr 2026 · 28 closed`: the month of the first position (UTC), and how many are closed; a sentence where none is. */
export function standingText({
  since,
  closedPositions,
}: Pick<TraderProfile, 'since' | 'closedPositions'>): string {
  if (closedPositions === 0) return 'no closed positions yet'
  const closed = `${closedPositions} closed`
  return since == null ? closed : `since ${monthFormat(new Date(since))} · ${closed}`
}
