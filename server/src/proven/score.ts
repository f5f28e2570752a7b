/**
 * The score of the Proven leaderboard (ADR 0053): by how much a trader's positions can be expected to beat the index, and
 * how sure that is. Days are counted, not positions, since positions of the same days share their luck. These are estimates, so
 * numbers are floats.
 */

/**
 * Raised when the same record would be given another score. 1 counted open positions from their first day (ADR 0054); 2 counted
 * from the opening price to the closing price (ADR 0077).
 */
export const FORMULA = 3

/** Sessions that count, the newest. */
export const WINDOW_SESSIONS = 252

/** Weight, in squared percent, of the assumption that a trader follows the index exactly. */
const LEAN_WEIGHT = 60
/** A trader's variance is pooled with so many days of all traders, so that three quiet days prove nothing. */
const POOLED_DAYS = 20
/** Least variance between traders, in squared percent; without it few of them could not be distinguished at all. */
const LEAST_VARIANCE_BETWEEN = 0.05
/** 10 % of a normal distribution lie below the low end and 10 % above the high one. */
const QUANTILE = 1.2816
/** Below this reliability the score contains more of all traders than of the trader's own sessions. */
const PROVISIONAL_BELOW = 0.5

/**
 * The sums over a trader's last sessions with open positions. `excess` is the mean profit of the positions that were open, in
 * percent of the stake, less the index's; `market` the index's return on that day, in percent.
 */
export type DaySums = {
  traderId: string
  /** Of the sums. */
  days: number
  excess: number
  excessSquares: number
  market: number
  marketSquares: number
  excessByMarket: number
  /** Mean of the holds that were declared, in sessions. */
  meanHold: number
}

/** In percent a position over the index; with 80 % certainty between low and high. */
export type Score = {
  traderId: string
  low: number
  middle: number
  high: number
  /** 0 to 1. */
  reliability: number
}

/** Whether a score contains more of the mean of all traders than of the trader's own sessions. */
export function isProvisional(reliability: number): boolean {
  return reliability < PROVISIONAL_BELOW
}

type OwnDays = { traderId: string; days: number; mean: number; squares: number; meanHold: number }
type Estimate = { traderId: string; middle: number; variance: number }

/**
 * @param suspended ids of traders whose days are in no mean of all traders: their own scores wait for the day when they are back
 * @returns a score for each of them, in their order; none for one without days
 */
export function scoreTraders(
  traders: readonly DaySums[],
  suspended: ReadonlySet<string> = new Set(),
): Score[] {
  const own = traders.filter(({ days }) => days > 0).map(withoutLean)
  const isCounted = ({ traderId }: { traderId: string }) => !suspended.has(traderId)
  const estimates = own.map(estimateWith(pooledVariance(own.filter(isCounted))))
  const { mean, varianceBetween } = describeAll(estimates.filter(isCounted))
  return estimates.map(({ traderId, middle: alone, variance }) => {
    const reliability = varianceBetween / (varianceBetween + variance)
    const middle = mean + reliability * (alone - mean)
    const reach = QUANTILE * Math.sqrt(reliability * variance)
    return { traderId, low: middle - reach, middle, high: middle + reach, reliability }
  })
}

/** Takes away what came of leaning on the market more, or less, than the index does. */
function withoutLean(sums: DaySums): OwnDays {
  const { traderId, days, meanHold } = sums
  const spreadOf = (squares: number, a: number, b: number) => squares - (a * b) / days
  const marketSpread = spreadOf(sums.marketSquares, sums.market, sums.market)
  const together = spreadOf(sums.excessByMarket, sums.excess, sums.market)
  const lean = together / (marketSpread + LEAN_WEIGHT)
  const squares =
    spreadOf(sums.excessSquares, sums.excess, sums.excess) - 2 * lean * together + lean * lean * marketSpread
  // A sum of squares; rounding can leave it a little below zero.
  return {
    traderId,
    days,
    mean: (sums.excess - lean * sums.market) / days,
    squares: Math.max(0, squares),
    meanHold,
  }
}

/** Variance of a day over all traders, each around their own mean. */
function pooledVariance(traders: readonly OwnDays[]): number {
  const freedom = sumOf(traders, ({ days }) => days - 1)
  return freedom === 0 ? 0 : sumOf(traders, ({ squares }) => squares) / freedom
}

/** The expected excess of one position that is held as long as declared, by this trader's days alone. */
function estimateWith(pooled: number): (own: OwnDays) => Estimate {
  return ({ traderId, days, mean, squares, meanHold }) => {
    const ofADay = (POOLED_DAYS * pooled + squares) / (POOLED_DAYS + days - 1)
    return { traderId, middle: meanHold * mean, variance: (meanHold ** 2 * ofADay) / days }
  }
}

/**
 * The mean of all traders, and the variance between them (DerSimonian and Laird 1986: more than the variances of the single estimates
 * explain).
 */
function describeAll(estimates: readonly Estimate[]): { mean: number; varianceBetween: number } {
  // Without any movement in all of the days every weight would be infinite.
  const certain = estimates.map((estimate) => ({
    ...estimate,
    weight: 1 / Math.max(estimate.variance, 1e-9),
  }))
  const weights = sumOf(certain, ({ weight }) => weight)
  if (weights === 0) return { mean: 0, varianceBetween: LEAST_VARIANCE_BETWEEN }
  const mean = sumOf(certain, ({ weight, middle }) => weight * middle) / weights
  const differing =
    sumOf(certain, ({ weight, middle }) => weight * (middle - mean) ** 2) - (certain.length - 1)
  const scale = weights - sumOf(certain, ({ weight }) => weight * weight) / weights
  const varianceBetween = Math.max(LEAST_VARIANCE_BETWEEN, scale > 0 ? differing / scale : 0)
  const weigh = (variance: number) => 1 / (variance + varianceBetween)
  const shrunk = sumOf(estimates, ({ variance }) => weigh(variance))
  return {
    mean: sumOf(estimates, ({ middle, variance }) => weigh(variance) * middle) / shrunk,
    varianceBetween,
  }
}

function sumOf<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((sum, item) => sum + value(item), 0)
}
