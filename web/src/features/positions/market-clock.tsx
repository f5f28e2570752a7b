import { isMarketOpen, nextMarketChange } from '@tradepost/contract/market-hours'
import { useNow } from '../../lib/use-now.ts'
import { cn } from '../../ui/cn.ts'

const MINUTE_MS = 60_000

/**
 * Whether the market is open, until when or from when on, and how long that is. For real market hours only. Not a live
 * region: it changes every minute.
 */
export function MarketClock() {
  const now = useNow(nextMinute)
  const open = isMarketOpen(now, null)
  return (
    <p
      data-slot="market-clock"
      className="flex items-baseline gap-2 text-sm text-muted-foreground tabular-nums"
    >
      <span
        aria-hidden="true"
        className={cn('size-2 shrink-0 rounded-full', open ? 'bg-foreground' : 'bg-muted-foreground')}
      />
      <span>{marketClockText(now)}</span>
    </p>
  )
}

/** As `Trading hours: closed until Mon 14:30 UTC (9:30 AM New York), 2 d 14 h`. */
export function marketClockText(now: Date): string {
  const open = isMarketOpen(now, null)
  const change = nextMarketChange(now)
  const until = open ? 'open until' : `closed until ${weekday(change)}`
  return `Trading hours: ${until} ${inUtc(change)} UTC (${inNewYork(change)} New York), ${span(now, change)}`
}

/** The next whole minute: the smallest unit that is shown. */
function nextMinute(now: Date): Date {
  return new Date((Math.floor(now.getTime() / MINUTE_MS) + 1) * MINUTE_MS)
}

function weekday(at: Date): string {
  return at.toLocaleDateString('en-US', { weekday: 'short', timeZone: 'UTC' })
}

function inUtc(at: Date): string {
  return at.toISOString().slice(11, 16)
}

function inNewYork(at: Date): string {
  return at.toLocaleTimeString('en-US', { hour: 'numeric', minute: '2-digit', timeZone: 'America/New_York' })
}

/** Rounded up to minutes, so that the last one is not shown as none: `5 min`, `3 h 20 min`, `2 d 3 h`. */
function span(from: Date, to: Date): string {
  const minutes = Math.ceil((to.getTime() - from.getTime()) / MINUTE_MS)
  const hours = Math.floor(minutes / 60)
  const days = Math.floor(hours / 24)
  if (days > 0) return joined([days, 'd'], [hours % 24, 'h'])
  if (hours > 0) return joined([hours, 'h'], [minutes % 60, 'min'])
  return `${minutes} min`
}

function joined([count, unit]: [number, string], [rest, smaller]: [number, string]): string {
  return rest === 0 ? `${count} ${unit}` : `${count} ${unit} ${rest} ${smaller}`
}
