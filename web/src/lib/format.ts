import { type ElapsedUnit, elapsedBetween } from '@tradepost/contract/elapsed'
import { type Decimal, formatGain } from '@tradepost/contract/gain'

/** Letters and digits of scripts that run from right to left, and the mark that some of their dates have between the parts. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\u200f]/

/**
 * A localised text among the app's own words, which run from left to right. One that runs the other way is isolated from them
 * (U+2068 and U+2069), else a number beside it would be drawn on its other side: "24 November · 2 d" with the 2 before
 * the date. By characters and not by an element, so that it holds in sentences, titles and names too.
 */
export function isolated(text: string): string {
  return RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text
}

/** Writes dates, or times of day, as the viewer's locale does. The only way to: what it returns may stand beside anything. */
export function localFormat(options: Intl.DateTimeFormatOptions): (date: Date) => string {
  const format = new Intl.DateTimeFormat(undefined, options)
  return (date) => isolated(format.format(date))
}

const dateFormat = localFormat({ dateStyle: 'medium' })

/** An instant as the viewer's local date, such as "Nov 21, 2026" (docs/specification.md section 2: local date). */
export function formatDate(iso: string): string {
  return dateFormat(new Date(iso))
}

const dayFormat = localFormat({ month: 'short', day: 'numeric' })

/** An instant as the viewer's local day, "Nov 21", where there is little room; with its year when that is not `now`'s. */
export function formatDay(iso: string, now: Date): string {
  const date = new Date(iso)
  return date.getFullYear() === now.getFullYear() ? dayFormat(date) : dateFormat(date)
}

const longDayFormat = localFormat({ month: 'long', day: 'numeric' })

/** A day that is near, as the viewer's calendar writes it: "December 6". */
export function formatLongDay(date: Date): string {
  return longDayFormat(date)
}

const UNITS: Record<ElapsedUnit, string> = { minute: 'min', hour: 'h', day: 'd' }

/** How long ago an instant is, in short: `2 d`, `5 min`. @returns null for less than a minute */
export function formatAge(iso: string, now: Date): string | null {
  const elapsed = elapsedBetween(new Date(iso), now)
  return elapsed && `${elapsed.amount} ${UNITS[elapsed.unit]}`
}

const clockFormat = localFormat({ timeStyle: 'short' })
const utcClockFormat = new Intl.DateTimeFormat('en-US', {
  timeStyle: 'short',
  hourCycle: 'h23',
  timeZone: 'UTC',
})

/** The time of day of an instant by the clock of the viewer: "4:30 PM". */
export function formatTimeOfDay(iso: string): string {
  return clockFormat(new Date(iso))
}

/** The time of day of an instant, by the clock of the viewer and by that of UTC: "4:30 PM, 15:30 UTC". */
export function formatClock(iso: string): string {
  const instant = new Date(iso)
  return `${clockFormat(instant)}, ${utcClockFormat.format(instant)} UTC`
}

const weekdayClockFormat = localFormat({ weekday: 'short', hour: 'numeric', minute: '2-digit' })

/** When something will be possible, within a week: "7:00 PM (00:00 UTC)", on another local day than `now`'s "Mon 9:30 AM (14:30 UTC)". */
export function formatFrom(at: Date, now: Date): string {
  const format = at.toDateString() === now.toDateString() ? clockFormat : weekdayClockFormat
  return `${format(at)} (${utcClockFormat.format(at)} UTC)`
}

const utcFormat = new Intl.DateTimeFormat('en-US', {
  dateStyle: 'medium',
  timeStyle: 'short',
  hourCycle: 'h23',
  timeZone: 'UTC',
})

/** An instant in words that are the same for everybody: "Nov 21, 2026, 15:30 UTC". */
export function formatUtc(instant: Date): string {
  return `${utcFormat.format(instant)} UTC`
}

/** An instant by the clock of the viewer and by that of UTC: "Nov 21, 2026, 4:30 PM (Nov 21, 2026, 15:30 UTC)". */
export function formatExactTime(iso: string): string {
  return `${formatTime(iso)} (${formatUtc(new Date(iso))})`
}

const timeFormat = localFormat({ dateStyle: 'medium', timeStyle: 'short' })

/** An instant as the viewer's local date and time, such as "Nov 21, 2026, 4:30 PM". */
export function formatTime(iso: string): string {
  return timeFormat(new Date(iso))
}

/** A gain as text, `12.35%` or `-10.00%`: two decimals and a percent sign (docs/specification.md section 5). */
export function formatPercent(gain: Decimal): string {
  return `${formatGain(gain)}%`
}
