import { formatGain } from '@tradepost/contract/gain'
import { type Proven, type ProvenEntry, provenAnswer } from '@tradepost/contract/leaderboard'
import { LEADERBOARD_MAX_COUNT, RANKS_MAX_COUNT } from '@tradepost/contract/limits'
import { versionedValue } from '../platform/cache/versioned-cache.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import type { ReadsOfOthers } from '../platform/distribution/replica.ts'
import { ReadyAnswer } from '../platform/http/ready-answer.ts'
import { countPublic, listPublicTimes } from '../positions/record/public-times.ts'
import {
  findProvenRank,
  findShownRun,
  listProven,
  type OwnProvenRow,
  type ProvenRow,
  type ProvenRun,
} from './proven.queries.ts'
import { FORMULA, isProvisional } from './score.ts'

/** Answers that differ by reader are kept for as many readers as this. */
const MAX_KEPT_ANSWERS = 5000

/** A trader, and when each open position becomes public (rule G-16): ms since 1970, in order. */
type Counted<Row extends ProvenRow> = Row & { publicTimes: readonly number[] }

/** The list at one version. */
type List = {
  run: ProvenRun | null
  ranked: Counted<ProvenRow>[]
  /** Reads for this list what its version has, or later. */
  read<Found>(read: (db: Queryable) => Promise<Found>): Promise<Found>
  toAnybody: Kept | null
  /** Of those who are marked in it, or asked for a place beyond it. */
  toViewers: Map<string, Promise<Kept>>
}

/** An answer, and between which instants it is right: positions past their plan are counted in it. */
type Kept = { answer: ReadyAnswer; from: number; until: number }

type Deps = { db: Queryable; pipelined: Queryable; others: ReadsOfOthers }

export type ReadProven = (viewerId: string, now: Date) => Promise<ReadyAnswer>

/**
 * The Proven list of the newest whole run, the best hundred, and the caller's place where it is beyond them; empty before the first run.
 * Kept for a version; the part that differs by reader is kept by reader (ADR 0101).
 * @returns answers a viewer
 */
export function makeProven(deps: Deps): ReadProven {
  const findList = versionedValue('proven', deps, (_db, version) => readList(deps.others, version))
  return async (viewerId, now) => {
    const list = await findList()
    const known = await list.toViewers.get(viewerId)
    if (known && isRight(known, now)) return known.answer
    const answering = answerViewer(list, viewerId, now)
    if (known || list.toViewers.size < MAX_KEPT_ANSWERS) {
      list.toViewers.set(viewerId, answering)
      answering.catch(() => list.toViewers.delete(viewerId))
    }
    return (await answering).answer
  }
}

async function readList(others: ReadsOfOthers, version: string): Promise<List> {
  const read: List['read'] = (from) => others.read(new Map(), from, new Map([['proven', version]]))
  const { ranked, run } = await read(async (db) => {
    const run = await findShownRun(db)
    return { run, ranked: run ? await count(db, await listProven(db, run.asOf, LEADERBOARD_MAX_COUNT)) : [] }
  })
  return { run, ranked, read, toAnybody: null, toViewers: new Map() }
}

function isRight({ from, until }: Kept, now: Date): boolean {
  return from <= now.getTime() && now.getTime() < until
}

async function answerViewer(list: List, viewerId: string, now: Date): Promise<Kept> {
  const { ranked, run } = list
  const isMarked = ranked.some(({ traderId }) => traderId === viewerId)
  const isWhole = run === null || ranked.length < LEADERBOARD_MAX_COUNT
  const own = isMarked || isWhole ? null : await readOwn(list, run, viewerId)
  if (isMarked || own) return write(list, { viewerId, own }, now)
  if (!list.toAnybody || !isRight(list.toAnybody, now))
    list.toAnybody = write(list, { viewerId: null, own: null }, now)
  return list.toAnybody
}

async function readOwn(
  { read }: List,
  { asOf }: ProvenRun,
  viewerId: string,
): Promise<Counted<OwnProvenRow> | null> {
  return read(async (db) => {
    const own = await findProvenRank(db, asOf, { traderId: viewerId, limit: RANKS_MAX_COUNT })
    const [counted] = own ? await count(db, [own]) : []
    return counted ?? null
  })
}

/** Apart from scores, since positions may be on other nodes (ADR 0069). */
async function count<Row extends ProvenRow>(db: Queryable, rows: readonly Row[]): Promise<Counted<Row>[]> {
  if (rows.length === 0) return []
  const times = await listPublicTimes(
    db,
    rows.map(({ traderId }) => traderId),
  )
  return rows.map((row) => ({ ...row, publicTimes: times.get(row.traderId) ?? [] }))
}

/** With nothing that the contract does not name. */
function write(
  { ranked, run }: List,
  { own, viewerId }: { viewerId: string | null; own: Counted<OwnProvenRow> | null },
  now: Date,
): Kept {
  const shown: Proven = {
    asOf: run?.asOf ?? null,
    formula: run?.formula ?? FORMULA,
    entries: ranked.map((trader) => present(trader, viewerId, now)),
    ...(own &&
      run && {
        own: { ...present(own, viewerId, now), rank: own.rank, ranked: run.traders - own.suspended },
      }),
  }
  return {
    answer: new ReadyAnswer(JSON.stringify(provenAnswer.parse(shown))),
    ...spanOf(own ? [...ranked, own] : ranked, now),
  }
}

/** Between which instants as many positions of these traders are public as at one. */
function spanOf(traders: readonly Counted<ProvenRow>[], now: Date): Pick<Kept, 'from' | 'until'> {
  const span = { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY }
  for (const { publicTimes } of traders) {
    const count = countPublic(publicTimes, now)
    span.from = Math.max(span.from, publicTimes[count - 1] ?? Number.NEGATIVE_INFINITY)
    span.until = Math.min(span.until, publicTimes[count] ?? Number.POSITIVE_INFINITY)
  }
  return span
}

function present(trader: Counted<ProvenRow>, viewerId: string | null, now: Date): ProvenEntry {
  const { username, low, middle, high, reliability, closed, open, averageGain } = trader
  return {
    username,
    low: formatGain(low),
    middle: formatGain(middle),
    high: formatGain(high),
    provisional: isProvisional(reliability),
    closed,
    open,
    overdue: countPublic(trader.publicTimes, now),
    averageGain: averageGain === null ? null : formatGain(averageGain),
    ...(trader.traderId === viewerId && { isSelf: true }),
  }
}
