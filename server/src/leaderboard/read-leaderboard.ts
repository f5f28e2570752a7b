import { formatGain } from '@tradepost/contract/gain'
import { leaderboardAnswer, type RankedEntry } from '@tradepost/contract/leaderboard'
import {
  LEADERBOARD_MAX_COUNT,
  LEADERBOARD_MIN_CLOSED_COUNT,
  RANKS_MAX_COUNT,
  WINS_MIN_CLOSED_COUNT,
} from '@tradepost/contract/limits'
import { versionedValue } from '../platform/cache/versioned-cache.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import { ReadyAnswer } from '../platform/http/ready-answer.ts'
import { findRank, listRanked, type RankedTrader } from './leaderboard.queries.ts'

/** Answers that differ by reader are kept for as many readers as this. */
const MAX_KEPT_ANSWERS = 5000

/** The best hundred at one version. */
type Board = {
  ranked: RankedTrader[]
  /** As JSON, in their order. */
  entries: string[]
  toAnybody: ReadyAnswer
  /** All of `toAnybody` but its last bracket, which an answer with a place of the reader's own begins with. */
  beginning: string
  /** Of those who are marked in it, or have a place beyond it. */
  toViewers: Map<string, Promise<ReadyAnswer>>
}

/**
 * The best hundred by average gain, and the viewer's place where it is beyond them (rule G-34). Kept for a version; the part that differs
 * by reader is kept by reader.
 * @returns answers a viewer
 */
export function makeLeaderboard(deps: {
  db: Queryable
  pipelined: Queryable
}): (viewerId: string) => Promise<ReadyAnswer> {
  const findBoard = versionedValue('leaderboard', deps, readBoard)
  return async (viewerId) => {
    const board = await findBoard()
    const known = board.toViewers.get(viewerId)
    if (known) return known
    const answer = answerViewer(deps.db, board, viewerId)
    if (board.toViewers.size < MAX_KEPT_ANSWERS) {
      board.toViewers.set(viewerId, answer)
      answer.catch(() => board.toViewers.delete(viewerId))
    }
    return answer
  }
}

async function readBoard(db: Queryable): Promise<Board> {
  const ranked = await listRanked(db, {
    minClosed: LEADERBOARD_MIN_CLOSED_COUNT,
    limit: LEADERBOARD_MAX_COUNT,
  })
  const entries = ranked.map((trader) => writeEntry(presentRanked(trader, null)))
  const beginning = `{"leaderboard":[${entries.join()}]`
  return { ranked, entries, toAnybody: new ReadyAnswer(beginning, '}'), beginning, toViewers: new Map() }
}

async function answerViewer(db: Queryable, board: Board, viewerId: string): Promise<ReadyAnswer> {
  const { ranked, entries, toAnybody, beginning } = board
  const place = ranked.findIndex(({ traderId }) => traderId === viewerId)
  const self = ranked[place]
  if (self) {
    return new ReadyAnswer(
      `{"leaderboard":[${entries.with(place, writeEntry(presentRanked(self, viewerId))).join()}]`,
      '}',
    )
  }
  if (ranked.length < LEADERBOARD_MAX_COUNT) return toAnybody
  const options = { minClosed: LEADERBOARD_MIN_CLOSED_COUNT, limit: RANKS_MAX_COUNT }
  const own = await findRank(db, viewerId, options)
  if (!own) return toAnybody
  const standing = { ...presentRanked(own, viewerId), rank: own.rank, ranked: own.ranked }
  const { own: shown } = leaderboardAnswer.parse({ leaderboard: [], own: standing })
  return new ReadyAnswer(beginning, `,"own":${JSON.stringify(shown)}}`)
}

/** With nothing that the contract does not name. */
function writeEntry(entry: RankedEntry): string {
  return JSON.stringify(leaderboardAnswer.parse({ leaderboard: [entry] }).leaderboard[0])
}

/** @param viewerId marks the viewer's own entry; null marks none */
export function presentRanked(trader: RankedTrader, viewerId: string | null): RankedEntry {
  return {
    username: trader.username,
    averageGain: formatGain(trader.averageGain),
    closed: trader.closed,
    wins: trader.closed < WINS_MIN_CLOSED_COUNT ? null : trader.wins,
    ...(trader.sparkline && { sparkline: trader.sparkline }),
    ...(trader.traderId === viewerId && { isSelf: true }),
  }
}
