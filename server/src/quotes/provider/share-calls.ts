/**
 * The callers that may ask the price provider when its calls are scarce (ADR 0081). A third of a minute's calls is for closes. Of the rest,
 * the calls that traders with followers need are kept free for their openings; everybody else, and last the marks, have the others. Once a
 * part is used up, nobody has more than a quarter of it. All numbers are calls within any 60 seconds.
 */

/** A person who checks a price: a close is one of a ticker that they hold. Nobody waits for a `settlement` or a `mark`; a call to the `directory` is a help alone. */
export type CallFor =
  | 'close'
  | 'opening of a followed trader'
  | 'opening'
  | 'settlement'
  | 'mark'
  | 'directory'

export type Pool = 'closes' | 'followed' | 'others'

/** Calls of the last 60 s. */
export type Used = {
  closes: number
  /** Of them, settlements, which nobody waits for. */
  settlements: number
  followed: number
  others: number
  /** Of these, in the last 15 s. */
  othersLately: number
  /** Calls of the caller, in each part. */
  ownCloses: number
  ownFollowed: number
  ownOthers: number
}

/** A check, and the question at the use of its price. */
const CALLS_OF_A_TRADER = 2
/** Everybody else has a quarter of the rest at least, and it falls due evenly: a part that one rush used would be missing at once. */
const KEPT_AT_MOST = 3 / 4
const RUSH = 1 / 4
const OF_ONE_PERSON = 1 / 4
/** The part of the last part that marks and the directory may use; names that no list holds are asked in rushes. */
const MARKS = 4 / 5
const DIRECTORY = 1 / 2
const SETTLEMENTS = 1 / 2

/**
 * The part that a call is taken from; null where there is none left for it.
 * @param perMinute calls that the provider's plan allows
 * @param tradersFollowed how many traders have followers
 * @param isScarce a part was used up within the last minute
 */
export function takeFromPool(
  wanted: CallFor,
  used: Used,
  { isScarce, perMinute, tradersFollowed }: { perMinute: number; tradersFollowed: number; isScarce: boolean },
): Pool | null {
  const closes = Math.floor(perMinute / 3)
  const rest = perMinute - closes
  const kept = Math.min(CALLS_OF_A_TRADER * tradersFollowed, Math.floor(rest * KEPT_AT_MOST))
  const others = rest - kept
  // As much as followed traders have used is kept free for more of them: a rush of theirs has begun.
  const isQuiet = 2 * used.followed + used.others < rest
  /** @param share of the part that may be used */
  const hasOthers = (share: number) =>
    isQuiet &&
    used.others < Math.floor(others * share) &&
    (kept === 0 || used.othersLately < Math.floor(part(others, RUSH) * share))
  const mayHave = (own: number, of: number) => !isScarce || own < part(of, OF_ONE_PERSON)
  switch (wanted) {
    case 'close':
      return used.closes < closes && mayHave(used.ownCloses, closes) ? 'closes' : null
    case 'settlement':
      return used.closes < closes && used.settlements < part(closes, SETTLEMENTS) ? 'closes' : null
    case 'opening of a followed trader':
      return used.followed + used.others < rest && mayHave(used.ownFollowed, rest) ? 'followed' : null
    case 'opening':
      return hasOthers(1) && mayHave(used.ownOthers, others) ? 'others' : null
    case 'mark':
      return hasOthers(MARKS) ? 'others' : null
    case 'directory':
      return hasOthers(DIRECTORY) ? 'others' : null
  }
}

/** At least two: a check and the question at its use. */
function part(of: number, share: number): number {
  return Math.max(CALLS_OF_A_TRADER, Math.ceil(of * share))
}
