import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { installEarlierQueue, silentLog } from '../../../test/database.ts'
import { type DeliveryScenario, startDeliveryScenario } from '../../../test/delivery-scenario.ts'
import { waitingMails } from '../../../test/run-outbox.ts'
import { migrate } from '../../platform/migrate.ts'
import { adoptJobsTasks } from './adopt-jobs.task.ts'
import { queueMail } from './queue-mail.ts'

const NOW = '2026-03-04 15:00Z'
const ENDED = { trader: 'maria', why: 'unpaid' } as const
const CODE = { expires: '2026-03-04 15:10Z', link: '2026-03-04 15:30Z' }

type Before = Awaited<ReturnType<typeof leaveAsBefore>>

/** Makes the database what the version before has left: unsent mails about money, and a job of each kind that sends a mail. */
async function leaveAsBefore({ database: { pool, url } }: DeliveryScenario) {
  await installEarlierQueue(url)
  const [person, challenge, request] = [randomUUID(), randomUUID(), randomUUID()]
  const [sent, unsent, givenUp] = [randomUUID(), randomUUID(), randomUUID()]
  await pool.query(`
    drop table outbox;
    drop function note_money_mail cascade;
    drop function note_outbox_mail;
    delete from migrations where name like '0024%';
    insert into users (id, email, created_at, updated_at) values ('${person}', 'ada@people.example', '${NOW}', '${NOW}');
    insert into rate_limits (key, window_start, count, expires_at) values ('auth:mails', '${NOW}', 5, '2026-03-04 15:10Z');
    insert into otp_challenges (id, email, purpose, create_user, code_expires_at, link_expires_at, place_in, created_at)
      values ('${challenge}', 'new@people.example', 'sign_in', true, '${CODE.expires}', '${CODE.link}', '${NOW}', '${NOW}');
    insert into account_codes (purpose, holder_id, user_id, request_id, expires_at, sent_at, updated_at)
      values ('reauthentication', '${randomUUID()}', '${person}', '${request}', '${CODE.expires}', '{${NOW}}', '${NOW}');
    insert into money_mails (id, kind, user_id, cause, facts, created_at, sent_at) values
      ('${sent}', 'subscription_ended', '${person}', 'sub_sent', '${JSON.stringify(ENDED)}', '${NOW}', '${NOW}'),
      ('${unsent}', 'subscription_ended', '${person}', 'sub_unsent', '${JSON.stringify(ENDED)}', '${NOW}', null),
      ('${givenUp}', 'subscription_ended', '${person}', 'sub_given_up', '${JSON.stringify(ENDED)}', '${NOW}', null)`)
  const from = { device: 'Safari on iPhone', network: '203.0.113.*' }
  const at = '2026-03-04T15:00:00.000Z'
  const jobs: [string, object][] = [
    ['send-sign-in-mail', { challengeId: challenge }],
    ['send-account-code', { requestId: request }],
    ['send-factor-mail', { userId: person, change: 'added', others: false, at, from }],
    ['send-recovery-code-mail', { userId: person, left: 9, at, from }],
    ['send-money-mail', { id: unsent }],
    ['operator-mail', { subject: 'a charge is disputed', text: 'Answer it.' }],
  ]
  const addJob = (name: string, payload: object) =>
    pool.query('select graphile_worker.add_job($1, $2::json)', [name, JSON.stringify(payload)])
  for (const [name, payload] of jobs) await addJob(name, payload)
  return { person, sent, unsent, addJob }
}

async function runJobsUnrecorded({ database: { db, pool }, clock }: DeliveryScenario): Promise<void> {
  const { rows } = await pool.query<{ id: string; identifier: string; payload: object }>(
    `select job.id::text, identifier, payload from graphile_worker._private_jobs job
     join graphile_worker._private_tasks task on task.id = job.task_id`,
  )
  const tasks = new Map(adoptJobsTasks({ db, clock }).map((task) => [task.name, task]))
  for (const { id, identifier, payload } of rows) await tasks.get(identifier)?.run(payload, id)
}

const noJobs = async ({ database }: DeliveryScenario) =>
  (await database.pool.query('select from graphile_worker._private_jobs')).rowCount === 0 &&
  (await database.pool.query("select from work where key <> 'every'")).rowCount === 0

/** Waits until nothing is left of jobs and mails. */
async function untilAllIsSent(scenario: DeliveryScenario): Promise<void> {
  await expect
    .poll(async () => (await noJobs(scenario)) && (await waitingMails(scenario.database.db)).length === 0)
    .toBe(true)
}

/** As the version before does it. @returns whether the cause is new to it */
async function oweAsBefore(scenario: DeliveryScenario, { person, addJob }: Before, cause: string) {
  const id = randomUUID()
  const { rowCount } = await scenario.database.pool.query(
    `insert into money_mails (id, kind, user_id, cause, facts, created_at)
     values ($1, 'subscription_ended', $2, $3, $4, $5) on conflict (kind, user_id, cause) do nothing`,
    [id, person, cause, JSON.stringify(ENDED), NOW],
  )
  if (rowCount) await addJob('send-money-mail', { id })
  return { id, isNew: rowCount === 1 }
}

function owe({ database, clock }: DeliveryScenario, { person }: Before, cause: string): Promise<void> {
  return queueMail(
    database.db,
    { kind: 'subscription_ended', userId: person, cause, facts: ENDED },
    clock.now(),
  )
}

test('what the version before has not sent is sent once by this one, whatever its kind and however often its job runs', async () => {
  await using scenario = await startDeliveryScenario({ operatorEmail: 'operator@example.com' })
  const { database, sink } = scenario
  const before = await leaveAsBefore(scenario)
  await migrate(database.url, silentLog)
  // As by a worker that ended before it could record that the jobs were done.
  await runJobsUnrecorded(scenario)
  await scenario.startWorker()
  await sink.until(() => sink.total() === 6)
  await untilAllIsSent(scenario)
  expect(Object.fromEntries(sink.byRecipient)).toEqual({
    'new@people.example': 1,
    'ada@people.example': 4,
    'operator@example.com': 1,
  })
  expect(sink.byMessageId.get(`<${before.unsent}@tradepost.example>`)).toBe(1)
  const subjects = sink.kept.map(({ raw }) => /^Subject: (?:\d{6} )?(.*)\r$/m.exec(raw)?.[1])
  expect(subjects.sort()).toEqual([
    'A recovery code was used to sign in',
    'Tradepost: a charge is disputed',
    'Two-step verification was turned on',
    'Your subscription to @maria has ended',
    'confirms a change of your Tradepost sign-in',
    'is your Tradepost sign-in code',
  ])
  // The job of a mail that was sent, or taken over, adds none when it runs again.
  for (const id of [before.sent, before.unsent]) await before.addJob('send-money-mail', { id })
  await untilAllIsSent(scenario)
  expect(sink.total()).toBe(6)
})

test('a place that a mail of the version before had is given back when the mail does not go', async () => {
  await using scenario = await startDeliveryScenario()
  const { database, sink } = scenario
  await leaveAsBefore(scenario)
  await migrate(database.url, silentLog)
  sink.script = { message: () => '554 5.6.0 not this' }
  await scenario.startWorker()
  await untilAllIsSent(scenario)
  const { rows } = await database.pool.query(`select count from rate_limits where key = 'auth:mails'`)
  // Of five places, those of the sign-in mail and of the code for the owner, neither of which went.
  expect(rows).toEqual([{ count: 3 }])
})

test('while both versions run, a cause is mailed once, whichever of them hears of it first', async () => {
  await using scenario = await startDeliveryScenario()
  const { database, sink } = scenario
  const before = await leaveAsBefore(scenario)
  await database.pool.query('delete from graphile_worker._private_jobs')
  await migrate(database.url, silentLog)
  for (const cause of ['sub_sent', 'sub_unsent', 'sub_given_up']) await owe(scenario, before, cause)
  expect((await oweAsBefore(scenario, before, 'sub_1')).isNew).toBe(true)
  await owe(scenario, before, 'sub_1')
  await owe(scenario, before, 'sub_2')
  expect((await oweAsBefore(scenario, before, 'sub_2')).isNew).toBe(false)
  // One that a worker of the version before gets is sent by it.
  const { id } = await oweAsBefore(scenario, before, 'sub_3')
  await database.pool.query('update money_mails set sent_at = $2 where id = $1', [id, NOW])
  await owe(scenario, before, 'sub_3')
  await scenario.startWorker()
  await sink.until(() => sink.total() === 2)
  await untilAllIsSent(scenario)
  expect([sink.total(), sink.repeats()]).toEqual([2, 0])
  const { rows } = await database.pool.query('select cause, ended_as from outbox order by cause')
  expect(rows).toEqual([
    { cause: 'sub_1', ended_as: 'sent' },
    { cause: 'sub_2', ended_as: 'sent' },
    { cause: 'sub_3', ended_as: 'left' },
    { cause: 'sub_given_up', ended_as: 'left' },
    { cause: 'sub_sent', ended_as: 'sent' },
    { cause: 'sub_unsent', ended_as: 'left' },
  ])
})
