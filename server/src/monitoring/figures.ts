import { countCardMonth } from '../billing/warnings/card-month.queries.ts'
import { monthOf } from '../billing/warnings/card-month.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import { countWaiting } from './figures.queries.ts'

/** How many things wait, and how long the oldest has. @property oldestSeconds 0 where nothing waits @property label of a part, or '' */
export type Waiting = { label: string; count: number; oldestSeconds: number }

/** Counts of the whole database by the name of the queue; a queue of several parts, as one for each reader of events, has several. */
export type Figures = ReadonlyMap<FigureName, readonly Waiting[]>

/**
 * The queues. Entries of a `lost` one failed too often and wait for a person. Some are no
 * queue: `worker` counts the workers that are alive, `record` the entries of the record, whose newest checkpoint is so old, and those of
 * cards the calendar month (UTC).
 */
const FIGURE_NAMES = [
  'worker',
  'job',
  'lost job',
  'event',
  'lost event',
  'signal mail',
  'single mail',
  'push',
  'webhook',
  'record',
  'card warning',
  'card dispute',
  'card payment',
] as const
export type FigureName = (typeof FIGURE_NAMES)[number]

/** Reads all figures with two statements. @throws when the database does not answer */
export async function readFigures(db: Queryable, now: Date): Promise<Figures> {
  const cards = await countCardMonth(db, monthOf(now))
  const ofMonth = (figure: FigureName, count: number) => ({ figure, label: '', count, since: null })
  const rows = [
    ...(await countWaiting(db, { now })),
    ofMonth('card warning', cards.warnings),
    ofMonth('card dispute', cards.disputes),
    ofMonth('card payment', cards.payments),
  ]
  const of = (name: FigureName) =>
    rows.filter(({ figure }) => figure === name).sort((a, b) => a.label.localeCompare(b.label))
  return new Map(
    FIGURE_NAMES.map((name) => [
      name,
      of(name).map(({ count, label, since }) => ({
        label,
        count,
        // An age is never negative, also when the clock was set back.
        oldestSeconds: since ? Math.max(0, (now.getTime() - since.getTime()) / 1000) : 0,
      })),
    ]),
  )
}
