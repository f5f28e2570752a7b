import type { ActivityItem } from '@tradepost/contract/activity'
import { formatDate } from '../../lib/format.ts'

export type ActivityDay = {
  /** The local day, as `2026-11-21`. */
  key: string
  /** The text of the heading. */
  label: string
  items: ActivityItem[]
}

/** Cuts the list, newest first, into the days of the reader's own calendar. */
export function byDay(items: readonly ActivityItem[], now: Date): ActivityDay[] {
  const days: ActivityDay[] = []
  for (const item of items) {
    const key = dayKey(new Date(item.at))
    const last = days.at(-1)
    if (last?.key === key) last.items.push(item)
    else days.push({ key, label: labelOf(item.at, now), items: [item] })
  }
  return days
}

/** When the reader's next day begins. */
export function nextDay(now: Date): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1)
}

function labelOf(iso: string, now: Date): string {
  const key = dayKey(new Date(iso))
  if (key === dayKey(now)) return 'Today'
  // By the calendar: a day can have 23 or 25 hours.
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1)
  return key === dayKey(yesterday) ? 'Yesterday' : formatDate(iso)
}

function dayKey(date: Date): string {
  const two = (part: number) => String(part).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}
