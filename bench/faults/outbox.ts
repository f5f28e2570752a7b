/** The outbox at full size: workers killed (-9) one after the other while people ask for sign-in mails. */
import { runTests } from './run-tests.ts'

const KILLS = 100

export const runs: Record<string, () => Promise<void>> = {
  'sign-in-mail-kills': async () => runTests(['mail/outbox/outbox-kill'], { OUTBOX_KILLS: KILLS }, 60),
}
