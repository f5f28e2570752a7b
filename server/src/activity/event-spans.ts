import { readWindows, type Span } from '../billing/entitlements/entitled-events.ts'
import type { Received } from './activity.queries.ts'

/** Which of a trader's events somebody may see, after one of them, in order. */
export function spansOf(
  { lastEventNo, windows }: Pick<Received, 'lastEventNo' | 'windows'>,
  after: number,
): Span[] {
  return readWindows(windows)
    .map(({ from, to }) => ({ from: Math.max(from, after + 1), to: Math.min(to, lastEventNo + 1) }))
    .filter(({ from, to }) => from < to)
}

export function countNumbers(spans: readonly Span[]): number {
  return spans.reduce((count, { from, to }) => count + to - from, 0)
}
