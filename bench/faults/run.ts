/**
 * `npm run faults [-- R1 S5 …]`: the fault and attack runs at full size; without names, all of them. Each prints its
 * figures and throws when one is violated. `npm test` runs the same faults at a small fixed size.
 */
import { runs as apiKills } from './api-kills.ts'
import { runs as auth } from './auth.ts'
import { runs as delivery } from './delivery.ts'
import { runs as events } from './events.ts'
import { runs as everyKindKills } from './every-kind-kills.ts'
import { runs as failover } from './failover.ts'
import { runs as feed } from './feed.ts'
import { runs as fullDisk } from './full-disk.ts'
import { runs as mailTls } from './mail-tls.ts'
import { runs as moneyKills } from './money-kills.ts'
import { runs as outbox } from './outbox.ts'
import { runs as payments } from './payments.ts'
import { runs as postgresKills } from './postgres-kills.ts'
import { runs as pushKills } from './push-kills.ts'
import { runs as pushSilence } from './push-silence.ts'
import { runs as races } from './races.ts'
import { runs as realMail } from './real-mail.ts'
import { runs as restore } from './restore.ts'
import { runs as runbook } from './runbook.ts'
import { runs as silence } from './silence.ts'
import { runs as stalls } from './stalls.ts'
import { runs as startDeaths } from './start-deaths.ts'
import { runs as starts } from './starts.ts'
import { runs as topology } from './topology.ts'
import { runs as workerKills } from './worker-kills.ts'

type Run = () => Promise<void>

const runs: Record<string, Run> = {
  ...auth,
  ...delivery,
  ...mailTls,
  ...workerKills,
  ...apiKills,
  ...postgresKills,
  ...stalls,
  ...silence,
  ...failover,
  ...fullDisk,
  ...events,
  ...feed,
  ...outbox,
  ...payments,
  ...moneyKills,
  ...races,
  ...topology,
  ...everyKindKills,
  ...pushKills,
  ...pushSilence,
  ...restore,
  ...runbook,
  ...starts,
  ...startDeaths,
  ...realMail,
}
const wanted = process.argv.slice(2)
const names = Object.keys(runs).filter(
  (name) => wanted.length === 0 || wanted.some((prefix) => name.startsWith(prefix)),
)

if (names.length === 0) {
  console.error(`No run of that name. Known: ${Object.keys(runs).join(', ')}`)
  process.exit(1)
}
let failed = 0
for (const name of names) {
  console.log(`\n── ${name}`)
  try {
    await runs[name]?.()
    console.log(`── ${name}: held`)
  } catch (error) {
    failed += 1
    console.error(`── ${name}: VIOLATED`, error)
  }
}
console.log(`\n${names.length - failed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
