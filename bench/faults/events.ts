/** Readers of events at full size: random histories in which workers die and tries fail. */
import { runTests } from './run-tests.ts'

const HISTORIES = 1000

export const runs: Record<string, () => Promise<void>> = {
  'event-histories': async () => runTests(['events/event-histories'], { EVENT_HISTORIES: HISTORIES }, 60),
}
