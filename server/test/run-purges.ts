import { purgesOf } from '../src/purges.ts'
import type { TestApp } from './build-test-app.ts'

/** Runs each purge once. @param now of the clock unless given @throws what one of them threw, unlike the hourly job */
export async function runPurges(
  { clock, db, settings }: Pick<TestApp, 'clock' | 'db' | 'settings'>,
  now: Date = clock.now(),
): Promise<void> {
  for (const { run } of purgesOf(db, settings)) await run(now)
}
