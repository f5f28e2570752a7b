import { type Decimal, formatGain, isLoss } from '@tradepost/contract/gain'
import { localFormat } from '../../lib/format.ts'

const sessionFormat = localFormat({ dateStyle: 'medium', timeZone: 'UTC' })

/** A session, a day of UTC wherever the viewer is: `2026-11-20` as "Nov 20, 2026". */
export function formatSession(day: string): string {
  return sessionFormat(new Date(day))
}

/** `+12.34%`, `-3.20%` or `0.00%`. */
export function signedPercent(gain: Decimal): string {
  const shown = formatGain(gain)
  return isLoss(gain) || shown === '0.00' ? `${shown}%` : `+${shown}%`
}

/** A difference in tenths of a point, rounded half away from zero. @param points percentage points with two decimals */
function tenthsOf(points: number): number {
  const hundredths = Number(formatGain(points).replace(/[-.]/g, ''))
  const tenths = Math.floor((hundredths + 5) / 10)
  return isLoss(points) ? -tenths : tenths
}

/** `+7.4`, `-0.3` or `0.0`. @param points percentage points with two decimals */
export function signedPoints(points: number): string {
  const tenths = tenthsOf(points)
  return `${tenths > 0 ? '+' : tenths < 0 ? '-' : ''}${inPoints(tenths)}`
}

function inPoints(tenths: number): string {
  const size = Math.abs(tenths)
  return `${Math.floor(size / 10)}.${size % 10}`
}

/**
 * How a mean stands beside the index, in points with one decimal, rounded half away from zero: `7.4 points better`, `0.3 points worse`, or
 * `level`.
 * @param mean percentage points with two decimals
 */
export function pointsText(mean: number): string {
  const tenths = tenthsOf(mean)
  if (tenths === 0) return 'level'
  return `${inPoints(tenths)} points ${tenths < 0 ? 'worse' : 'better'}`
}

/** The average position beside the index: `7.4 points better than SPY a position`. @param mean percentage points with two decimals */
export function besideIndexText(mean: number, indexSymbol: string): string {
  const points = pointsText(mean)
  return `${points} ${points === 'level' ? 'with' : 'than'} ${indexSymbol} a position`
}

const shortSessionFormat = localFormat({ month: 'short', day: 'numeric', timeZone: 'UTC' })

/**
 * The day of figures that the night has computed, where more is closed by now: ` up to Nov 25`, with the blank before it; empty where they
 * count the same.
 * @param counted closed positions in the figures @param closed closed positions now
 */
export function upToText(
  asOf: string | null,
  { counted, closed }: { counted: number; closed: number },
): string {
  return asOf === null || counted === closed ? '' : ` up to ${shortSessionFormat(new Date(asOf))}`
}
