import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { type PrimaryAndStandby, runOn } from '../../server/test/database/standby.ts'
import { allRangesDone, print } from './delivery-checks.ts'
import type { Scenario } from './delivery-scenario.ts'
import type { Course } from './topology-load.ts'

const MAILED_WITHIN_MS = 120_000
/** A read of the replica asks it whether it has what the primary has, and then for the answer. */
const STATEMENTS_OF_A_READ = 2
/** Of the reads that a replica may answer; the rest found it a moment behind, or the process had not asked it yet. */
const MUST_BE_USED = 0.5

/** How many statements a replica has run for requests since it was first asked. */
type Replica = { statements(): Promise<number> }

/** @param apis that ask it once a second whether it is there */
export async function watchReplica({ primary, standby }: PrimaryAndStandby, apis: number): Promise<Replica> {
  const [server] = await runOn(standby.url, 'show server_version')
  console.log(`   PostgreSQL ${server?.server_version}, and a replica of it`)
  while ((await runOn(primary.url, 'select from pg_stat_replication')).length === 0) await pause(50)
  const [before, began] = [await committed(standby.url), performance.now()]
  return {
    async statements() {
      const looks = Math.ceil((apis * (performance.now() - began)) / 1000)
      return (await committed(standby.url)) - before - looks
    },
  }
}

/** Commits of all callers; each statement outside a transaction is one. */
async function committed(url: string): Promise<number> {
  const [row] = await runOn(url, 'select sum(xact_commit)::int as count from pg_stat_database')
  return Number(row?.count)
}

export function report(course: Course, size: { minutes: number; restarts: number }): void {
  const times = course.times.toSorted((one, other) => one - other)
  print({
    ...size,
    requests: course.asked,
    'of these opens and closes': course.opened + course.closed,
    'people who signed in': course.newcomers.length,
    'requests failed': [...course.failed.values()].reduce((sum, count) => sum + count, 0),
    'answered, p50, ms': Math.round(times[times.length >> 1] ?? Number.NaN),
    'answered, p99, ms': Math.round(times[Math.floor(times.length * 0.99)] ?? Number.NaN),
    'answered at last, ms': Math.round(times.at(-1) ?? Number.NaN),
  })
  for (const [what, count] of course.failed) console.log(`   ${count} times: ${what}`)
}

/** Nothing failed, the replica was used, and everybody was notified once of what they follow, and nobody of anything else. */
export async function checkCourse(
  scenario: Scenario,
  course: Course,
  { traders, replica }: { traders: string[]; replica: Replica },
): Promise<void> {
  const statements = await replica.statements()
  print({ 'reads of what others did': course.ofOthers, 'statements of the replica for them': statements })
  const { sink } = scenario
  const owed = await owedMails(scenario, course, traders)
  const total = [...owed.values()].reduce((sum, count) => sum + count, 0)
  const end = performance.now() + MAILED_WITHIN_MS
  while (sink.byMessageId.size < total && performance.now() < end) await pause(50)
  await allRangesDone(scenario)
  const events = await eventsOf(scenario, scenario.trader.username)
  print({ 'events with 2,000 mails': events, mails: sink.byMessageId.size, repeated: sink.repeats() })
  assert.equal(
    await scenario.ask('select count(opened_at) + count(closed_at) from positions'),
    course.opened + course.closed,
  )
  assert.deepEqual(differences(owed, sink.byRecipient), [])
  assert.equal(sink.repeats(), 0)
  const used = statements / (STATEMENTS_OF_A_READ * course.ofOthers)
  assert.ok(used > MUST_BE_USED, `the replica answered ${Math.round(100 * used)} % of what it may`)
  assert.deepEqual([...course.failed], [])
}

/** @returns how many mails each address has to get */
async function owedMails(scenario: Scenario, { newcomers }: Course, traders: string[]) {
  const owed = new Map(newcomers.map((address) => [address, 1]))
  const crowds = new Map<string, number>()
  for (const name of [scenario.trader.username, ...traders]) crowds.set(name, await eventsOf(scenario, name))
  const { rows } = await scenario.database.pool.query<{ email: string }>('select email from users')
  for (const { email } of rows) {
    const [, name = ''] = /@(.*)\.example$/.exec(email) ?? []
    const events = crowds.get(name) ?? 0
    if (events > 0) owed.set(email, events)
  }
  return owed
}

function eventsOf({ ask }: Scenario, username: string): Promise<number> {
  return ask(`select count(opened_at) + count(closed_at) from positions
    join accounts on user_id = trader_id where username = '${username}'`)
}

function differences(owed: Map<string, number>, got: Map<string, number>): string[] {
  return [...new Set([...owed.keys(), ...got.keys()])]
    .filter((address) => owed.get(address) !== got.get(address))
    .map((address) => `${address}: ${got.get(address) ?? 0} of ${owed.get(address) ?? 0}`)
}
