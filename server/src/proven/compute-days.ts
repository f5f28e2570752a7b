import { type Queryable, withTransaction } from '../platform/database/queryable.ts'
import { endDays, findLastRun, findNewIndexDay, listChanged, type Session } from './days.queries.ts'
import { BEFORE_ALL, inPages, startPace } from './in-pages.ts'
import { type DayStep, endSteps, findStep, noteStep, type StepDone } from './steps.queries.ts'
import { deleteDays, insertDays } from './trader-days.queries.ts'

/**
 * Version of what `trader_days` holds: 1 until it distinguished what everybody may know of, 2 while the excess counted from opening prices
 * to closing prices, 3 while plans had other ends (ADR 0086). Another one computes all days again.
 */
export const DAYS_VERSION = 4
/** Sessions of one statement where days of before have changed. */
const SESSIONS_AT_ONCE = 10
/** Rows written during the run before, by a clock that may be behind, are looked at once more. */
const OVERLAP_MS = 3_600_000

export type DaysDeps = { db: Queryable; indexSymbol: string }

/**
 * Computes the days of all traders that are missing or have changed, a session after the other and in each a page of traders after the
 * other; each page is committed with the place that it was at (ADR 0098). Days that a run before has left undone are computed first, and
 * then those that have changed since that run began.
 * @param sessions all, in order; at least one
 */
export async function computeDays(deps: DaysDeps, sessions: readonly Session[], now: Date): Promise<void> {
  const left = await findStep(deps.db, DAYS_VERSION)
  if (left)
    await runSteps(deps, sessions, { steps: stepsFrom(sessions, left), left, beganAt: left.beganAt, now })
  // A night that had only changes left has found those of no long ago.
  if (left && left.through < left.from) return
  const steps = stepsFrom(sessions, await whatIsMissing(deps, sessions))
  await runSteps(deps, sessions, { steps, left: null, beganAt: now, now })
}

/** The day from which on days of all traders are missing, and the instant since which others may have changed. */
async function whatIsMissing(
  { db, indexSymbol }: DaysDeps,
  sessions: readonly Session[],
): Promise<Pick<DayStep, 'from' | 'since'>> {
  const last = await findLastRun(db, DAYS_VERSION)
  const since = new Date((last?.ranAt.getTime() ?? 0) - OVERLAP_MS)
  if (!last) return { from: sessions[0]?.day ?? '', since }
  const next = dayAfter(last.asOf)
  const newIndexDay = await findNewIndexDay(db, indexSymbol, since)
  return { from: newIndexDay !== null && newIndexDay < next ? newIndexDay : next, since }
}

/** One step for each session, the first with the days that have changed before; one step with these alone where no session is missing. */
function stepsFrom(
  sessions: readonly Session[],
  { from, since }: Pick<DayStep, 'from' | 'since'>,
): DayStep[] {
  const missing = sessions.filter(({ day }) => day >= from).map(({ day }) => day)
  if (missing.length === 0) return [{ from, through: sessions.at(-1)?.day ?? '', since }]
  return missing.map((day, nth) => ({
    from: nth === 0 ? from : dayAfter(missing[nth - 1] ?? ''),
    through: day,
    since: nth === 0 ? since : null,
  }))
}

type Run = { steps: readonly DayStep[]; left: StepDone | null; beganAt: Date; now: Date }

async function runSteps(
  { db, indexSymbol }: DaysDeps,
  sessions: readonly Session[],
  { beganAt, left, now, steps }: Run,
): Promise<void> {
  const pace = startPace()
  for (const step of steps) {
    // A session may have come, or be one no more: then nobody has had this step.
    const goesOn = left !== null && left.from === step.from && left.through === step.through
    const after = goesOn ? left.doneTo : BEFORE_ALL
    await inPages(db, { after, pace }, async (tx, page) => {
      await updateDays(tx, { ...step, indexSymbol, sessions, isLast: step === steps.at(-1), now }, page)
      await noteStep(tx, DAYS_VERSION, { ...step, beganAt, doneTo: page.at(-1) ?? BEFORE_ALL })
    })
  }
  const asOf = steps.at(-1)?.through ?? ''
  await withTransaction(db, async (tx) => {
    await endDays(tx, { asOf, version: DAYS_VERSION }, beganAt)
    await endSteps(tx, DAYS_VERSION)
  })
}

type Work = DayStep & { indexSymbol: string; sessions: readonly Session[]; isLast: boolean; now: Date }

async function updateDays(tx: Queryable, work: Work, page: string[]): Promise<void> {
  const { from, indexSymbol, now, since, through } = work
  const changed = since
    ? await listChanged(tx, page, { indexSymbol, since, until: from, now })
    : new Map<string, string>()
  const traders = page.map((traderId) => ({ traderId, from: earlier(changed.get(traderId), from) }))
  const firstDay = traders.reduce((first, trader) => earlier(first, trader.from), from)
  const toDo = work.sessions.filter(({ day }) => day >= firstDay && day <= through)
  // Of days after the last session there are none.
  await deleteDays(tx, traders, work.isLast ? null : through)
  for (let at = 0; at < toDo.length; at += SESSIONS_AT_ONCE)
    await insertDays(tx, traders, { indexSymbol, sessions: toDo.slice(at, at + SESSIONS_AT_ONCE), now })
}

function earlier(one: string | undefined, other: string): string {
  return one !== undefined && one < other ? one : other
}

function dayAfter(day: string): string {
  return new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)
}
