import { formatGain, isLoss } from '@tradepost/contract/gain'
import type { ProvenEntry } from '@tradepost/contract/leaderboard'
import { priceTexts } from '@tradepost/contract/price-parts'
import type { PublicRecord } from '@tradepost/contract/public-record'
import { withTaxWords } from '@tradepost/contract/tax-words'
import { DAY_MS } from '@tradepost/contract/trading-day'
import { signedPercent, upToText } from '../features/traders/record-text.ts'

const dayFormat = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' })

/** A day of UTC, such as `Nov 21, 2026`. */
export function dayText(instant: string | number | Date): string {
  return dayFormat.format(new Date(instant))
}

/** The title of a page, and of previews of it. */
export function titleOf({ record, username }: PublicRecord): string {
  if (record.average === null) return `${username}’s record`
  return `${username}’s record: ${signedPercent(record.average)}, average of ${record.closed} closed`
}

/** One sentence or two for search engines and previews. */
export function descriptionOf({ record, username }: PublicRecord): string {
  if (record.average === null)
    return `${username} publishes stock positions at market prices that nobody can type in. None is closed yet.`
  const wins = record.wins ? `, ${record.wins.count} of ${record.wins.of} with a gain` : ''
  return `${username} has closed ${counted(record.closed, 'position')}, ${signedPercent(record.average)} on average${wins}. Published when they were opened and closed, at market prices that nobody can type in.`
}

/** The price of following, or that nobody can begin to. */
export function priceText({ price }: PublicRecord): string {
  if (price === null) return 'Takes no new subscribers at the moment'
  const prices = priceTexts({ ...price, priceCents: price.cents }).join(' or ')
  return `${withTaxWords(prices, price.taxLiable)}, cancel any time`
}

/** By how much closed positions beat the index; null where none has the index beside it. */
export function versusText({ record, track }: PublicRecord): string | null {
  if (track.versusIndex === null) return null
  const { mean, missing, positions } = track.versusIndex
  const points = formatGain(mean).replace('-', '')
  const than = isLoss(mean) ? 'worse' : 'better'
  const upTo = upToText(track.asOf, { counted: positions + missing, closed: record.closed })
  const of = `mean of ${counted(positions, 'closed position')}${upTo}`
  if (points === '0.00') return `As good as ${track.indexSymbol} over the same days, ${of}`
  return `${points} points ${than} than ${track.indexSymbol} over the same days, ${of}`
}

/** The curve in one sentence, and which positions are in it: its trader and followers are shown one with all (ADR 0054). */
export function curveText({ track }: PublicRecord): string {
  const { drawdown } = track
  const fall =
    drawdown === null || drawdown.fall === 0
      ? ''
      : ` The deepest fall was ${formatGain(drawdown.fall).slice(1)}%, from ${dayText(drawdown.from)} to ${dayText(drawdown.to)}.`
  return `Equal stakes in the positions of each day, open ones left out until they are public, beside ${track.indexSymbol}.${fall}`
}

/** The gain over the index to be expected of a position. */
export function provenText({ high, low, middle, provisional }: ProvenEntry, indexSymbol: string): string {
  if (provisional) return 'Provisional: too few days with positions to tell this record from luck.'
  return `About ${signedPercent(middle)} a position over ${indexSymbol}, between ${signedPercent(low)} and ${signedPercent(high)} with 80 % certainty.`
}

/** How many positions are open, and for how many whole days each. */
export function openText(openedAt: readonly number[], now: Date): string {
  if (openedAt.length === 0) return 'None is open.'
  const days = openedAt.map((instant) => Math.max(0, Math.floor((now.getTime() - instant) / DAY_MS)))
  const each = new Intl.ListFormat('en-US').format(days.map(String))
  return `${counted(days.length, 'position')} ${days.length === 1 ? 'is' : 'are'} open, for ${each} ${days.at(-1) === 1 ? 'day' : 'days'}.`
}

/** `1 position`, `12 positions`. */
function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}
