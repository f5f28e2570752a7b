/**
 * The outcome of a part of `npm test`. `failures` are words for what failed, repeated at the end; `missing` is what could not be run: how
 * many tests, which, and why. `lacking` are sentences for what a machine may be without: the rest holds all the same.
 */
export type Outcome = {
  passed: number
  failed: number
  failures: string[]
  missing?: { count: number; words: string }
  lacking?: string[]
}

/**
 * The end of `npm test`. A test that could not be run is no failure, and no success either.
 * @returns its words, of which the last line counts
 */
export function sumUp(outcomes: readonly Outcome[]): { words: string; succeeded: boolean } {
  const sum = (count: (outcome: Outcome) => number) =>
    outcomes.reduce((so, outcome) => so + count(outcome), 0)
  const [passed, failed] = [sum((outcome) => outcome.passed), sum((outcome) => outcome.failed)]
  const skipped = sum(({ missing }) => missing?.count ?? 0)
  const failures = outcomes.flatMap((outcome) => outcome.failures)
  const missing = outcomes.flatMap((outcome) => outcome.missing ?? [])
  const unrun = [...missing.map(({ words }) => words), ...outcomes.flatMap(({ lacking }) => lacking ?? [])]
  const parts = [
    ...(failures.length > 0 ? [`── failed\n${failures.join('\n\n')}`] : []),
    ...(unrun.length > 0 ? [`── not run\n${unrun.join('\n\n')}`] : []),
    `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`,
  ]
  return {
    words: parts.map((part) => `\n${part}`).join('\n'),
    succeeded: failed === 0 && passed > 0 && missing.length === 0,
  }
}
