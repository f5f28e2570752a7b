/**
 * `npm run bench [-- name …]`: each benchmark as a ratio against a peer and a raw ceiling, measured in the same run;
 * one, two and four processes; and the payments sandbox and the public record beside a second judge each. `-- mutations [seed] [from] [to]` takes hours and runs when it is named alone.
 */

import { benchExport } from './export.ts'
import { benchBesideFanOut } from './fan-out/beside.ts'
import { benchFanOut } from './fan-out/run.ts'
import { benchFeeds } from './feeds.ts'
import { benchIdle } from './idle.ts'
import { benchMutations } from './mutations/run.ts'
import { benchNight } from './night.ts'
import { benchNotifications } from './notifications.ts'
import { benchApis, benchWorkers } from './processes.ts'
import { benchReads } from './reads.ts'
import { benchRecord } from './record.ts'
import { benchRecordPrograms } from './record-programs.ts'
import { benchRecordReferee } from './record-referee.ts'
import { benchScreens } from './screens.ts'
import { benchSignIn } from './sign-in.ts'
import { benchSignInMails } from './sign-in-mails.ts'
import { benchStripeMock } from './stripe-mock.ts'
import { benchWrites } from './writes.ts'

const benchmarks: Record<string, () => Promise<void>> = {
  export: benchExport,
  'fan-out': benchFanOut,
  feeds: benchFeeds,
  idle: benchIdle,
  'beside-fan-out': benchBesideFanOut,
  night: benchNight,
  notifications: benchNotifications,
  'processes-api': benchApis,
  'processes-worker': benchWorkers,
  reads: benchReads,
  record: benchRecord,
  'record-programs': benchRecordPrograms,
  'record-referee': benchRecordReferee,
  screens: benchScreens,
  'sign-in': benchSignIn,
  'sign-in-mails': benchSignInMails,
  'stripe-mock': benchStripeMock,
  writes: benchWrites,
}
const wanted = process.argv.slice(2)
if (wanted[0] === 'mutations') {
  await benchMutations(wanted.slice(1))
  process.exit(0)
}
const names = Object.keys(benchmarks).filter((name) => wanted.length === 0 || wanted.includes(name))
if (names.length === 0) {
  console.error(`No benchmark of that name. Known: ${Object.keys(benchmarks).join(', ')}, mutations`)
  process.exit(1)
}
for (const name of names) await benchmarks[name]?.()
