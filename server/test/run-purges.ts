import type { Sweep } from '../src/platform/sweeps.ts'
import type { TestApp } from './build-test-app.ts'

/** Runs purges of one feature, each once. @throws what one of them threw, unlike the hourly job */
export async function runPurges(
  { clock, db }: Pick<TestApp, 'clock' | 'db'>,
  purgesOf: (db: TestApp['db']) => Sweep[],
): Promise<void> {
  for (const { run } of purgesOf(db)) await run(clock.now())
}
