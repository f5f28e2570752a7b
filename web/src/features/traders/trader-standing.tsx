import type { TraderProfile } from '@tradepost/contract/traders'
import { cn } from '../../ui/cn.ts'
import { standingText } from './standing-text.ts'

type TraderStandingProps = {
  trader: Pick<TraderProfile, 'since' | 'closedPositions'>
  className?: string
}

/** Beside a Subscribe button: since when the trader publishes and how much of it is closed, so that nobody takes a newcomer for more. */
export function TraderStanding({ trader, className }: TraderStandingProps) {
  return <p className={cn('text-sm text-muted-foreground tabular-nums', className)}>{standingText(trader)}</p>
}
