import type { Queryable } from '../platform/database/queryable.ts'
import { countWaiting } from './figures.queries.ts'

/** @property oldestSeconds 0 where nothing waits @property label of a part, or '' */
export type Waiting = { label: string; count: number; oldestSeconds: number }

/** The figures of the database as a whole: by the name of the figure, what waits. */
export type Figures = ReadonlyMap<FigureName, readonly Waiting[]>

/** Where things wait. `lost`: failed too often, and wait for a person. `worker`: no waiting, how many sessions live. */
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
] as const
export type FigureName = (typeof FIGURE_NAMES)[number]

/** Reads all figures with one statement. @throws when the database does not answer */
export async function readFigures(db: Queryable, now: Date): Promise<Figures> {
  const rows = await countWaiting(db, { now })
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
