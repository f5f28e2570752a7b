/** The curve in words and rows: the chart, its sentence and its table read the same answer. */
import { formatGain, isLoss, percentageGain } from '@tradepost/contract/gain'
import type { TrackClose, TrackDay, TrackRange, TrackRecord } from '@tradepost/contract/track-record'
import { formatSession, signedPercent } from './record-text.ts'

/**
 * The curve in one sentence, and what was closed in another; null where there is no curve. The trader and followers see another curve than
 * everybody else (ADR 0054), so it says which positions are in it.
 */
export function sentenceOf(track: TrackRecord): string | null {
  const { days, closes, moreCloses, drawdown, indexSymbol, withOpen } = track
  const [first, last] = [days[0], days.at(-1)]
  if (!first || !last) return null
  const fall =
    drawdown === null
      ? ''
      : drawdown.fall === 0
        ? ', and never fell below a level that it had reached'
        : `, with a deepest fall of ${formatGain(drawdown.fall).slice(1)}% from ${formatSession(drawdown.from)} to ${formatSession(drawdown.to)}`
  const curve = `From ${formatSession(first.day)} to ${formatSession(last.day)}, equal stakes in the positions of each day, ${withOpen ? 'open ones too' : 'open ones left out until they are public'}, brought ${signedPercent(last.level)}, ${indexSymbol} ${signedPercent(last.index)}${fall}.`
  const closed = closes.length + moreCloses
  if (closed === 0) return `${curve} No position was closed.`
  return `${curve} ${closed === 1 ? 'One position was' : `${closed} positions were`} closed${moreCloses > 0 ? `; of the newest ${closes.length}, ` : ': '}${tallyOf(closes)}.`
}

/** `3 with a gain, 1 with a loss`. */
function tallyOf(closes: readonly TrackClose[]): string {
  const losses = closes.filter(({ gain }) => isLoss(gain)).length
  const even = closes.filter(({ gain }) => gain === 0).length
  const gains = closes.length - losses - even
  return [
    gains > 0 && `${gains} with a gain`,
    losses > 0 && `${losses} with a loss`,
    even > 0 && `${even} with neither`,
  ]
    .filter(Boolean)
    .join(', ')
}

/** The closes in each session of the curve: after the end of the one before, up to its own. By place in `days`. */
export function closesBySession({ days, closes }: TrackRecord): ReadonlyMap<number, readonly TrackClose[]> {
  const bySession = new Map<number, TrackClose[]>()
  let at = 1
  for (const close of closes) {
    while (at < days.length - 1 && (days[at]?.day ?? '') < close.closed.slice(0, 10)) at += 1
    bySession.set(at, [...(bySession.get(at) ?? []), close])
  }
  return bySession
}

export type TrackPeriod = {
  /** Its first and last session. */
  from: string
  to: string
  /** Percent within the period, decimal text. */
  level: string
  index: string
  /** Empty when nothing was closed. */
  closed: string
}

/** The rows of the table, newest first: months, in a range of three months weeks. A whole month is the one of the grid of months. */
export function periodsOf(track: TrackRecord, range: TrackRange): TrackPeriod[] {
  const { days, months = [] } = track
  const bySession = closesBySession(track)
  const keyOf = range === '3m' ? weekOf : ({ day }: TrackDay) => day.slice(0, 7)
  const periods: TrackPeriod[] = []
  let start = 0
  for (let end = 1; end < days.length; end += 1) {
    const [day, next, before, first] = [days[end], days[end + 1], days[start], days[start + 1]]
    if (!day || !before || !first || (next && keyOf(next) === keyOf(day))) continue
    const closes = Array.from(
      { length: end - start },
      (_, nth) => bySession.get(start + 1 + nth) ?? [],
    ).flat()
    // Days have two decimals: a month of them would differ by a hundredth from that of the levels as they are.
    const isWhole = range !== '3m' && keyOf(before) !== keyOf(day)
    const month = isWhole ? months.find((one) => one.month === keyOf(day)) : undefined
    periods.unshift({
      from: first.day,
      to: day.day,
      level: String(month?.level ?? percentageGain(100 + before.level, 100 + day.level)),
      index: String(month?.index ?? percentageGain(100 + before.index, 100 + day.index)),
      closed: tallyOf(closes),
    })
    start = end
  }
  return periods
}

const WEEK_MS = 7 * 86_400_000
const A_MONDAY = Date.parse('2024-01-01')

function weekOf({ day }: TrackDay): string {
  return String(Math.floor((Date.parse(day) - A_MONDAY) / WEEK_MS))
}

/** One session in words, for the line under the chart and for screen readers. */
export function dayText(day: TrackDay, indexSymbol: string): string {
  return `${formatSession(day.day)}: ${signedPercent(day.level)}, ${indexSymbol} ${signedPercent(day.index)}`
}

/** Named one by one; of more than these the number. */
const NAMED_COUNT = 2

/** The positions that were closed in a session, in words; empty without one. */
export function closesText(closes: readonly TrackClose[]): string {
  const named = closes
    .slice(0, NAMED_COUNT)
    .map(
      ({ symbol, opened, gain }) =>
        `${symbol} closed at ${signedPercent(gain)}, opened ${formatSession(opened.slice(0, 10))}`,
    )
  const more = closes.length - NAMED_COUNT
  return [...named, ...(more > 0 ? [`${more} more closed`] : [])].join('; ')
}
