import type { Heard } from './activity.queries.ts'

/** Numbers of a trader's events, from one on to before another. */
export type Span = { from: number; to: number }

/** A window, as PostgreSQL writes those of whole numbers: `{[1,4),[9,)}`. */
const WINDOW = /[[(](\d*),(\d*)\)/g

/** Which of a trader's events somebody may see, after one of them, in order. */
export function spansOf(
  { lastEventNo, windows }: Pick<Heard, 'lastEventNo' | 'windows'>,
  after: number,
): Span[] {
  return [...windows.matchAll(WINDOW)]
    .map(([, from, to]) => ({
      from: Math.max(Number(from || 0), after + 1),
      to: to ? Math.min(Number(to), lastEventNo + 1) : lastEventNo + 1,
    }))
    .filter(({ from, to }) => from < to)
}

export function countNumbers(spans: readonly Span[]): number {
  return spans.reduce((count, { from, to }) => count + to - from, 0)
}
