import { type Decimal, formatGain } from '@tradepost/contract/gain'

const dateFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })

/** An instant as the viewer's local date, such as "Nov 21, 2026" (docs/specification.md section 2: local date). */
export function formatDate(iso: string): string {
  return dateFormat.format(new Date(iso))
}

const timeFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** An instant as the viewer's local date and time, such as "Nov 21, 2026, 4:30 PM". */
export function formatTime(iso: string): string {
  return timeFormat.format(new Date(iso))
}

/** A gain as text, `12.35%` or `-10.00%`: two decimals and a percent sign (docs/specification.md section 5). */
export function formatPercent(gain: Decimal): string {
  return `${formatGain(gain)}%`
}
