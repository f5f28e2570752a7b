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

/** `28 closed since Apr 2026`: how many, and the month of the first position (UTC); a sentence where none is. */
export function standingText({
  since,
  closedPositions,
}: Pick<TraderProfile, 'since' | 'closedPositions'>): string {
  if (closedPositions === 0) return 'no closed positions yet'
  return [`${closedPositions} closed`, sinceText(since)].filter((part) => part !== null).join(' ')
}

/** `since Apr 2026`, the month of the first position (UTC); null before it. */
export function sinceText(since: TraderProfile['since']): string | null {
  return since == null ? null : `since ${monthFormat(new Date(since))}`
}
