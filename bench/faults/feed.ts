/** The live feed at full size: connections lost and processes restarted while things are published. */
import { runTests } from './run-tests.ts'

const DROPS = 1000

export const runs: Record<string, () => Promise<void>> = {
  'feed-drops': async () => runTests(['feed/feed-drops'], { FEED_DROPS: DROPS }, 30),
}
