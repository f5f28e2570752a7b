import { expect, test } from 'vitest'
import { endWorkerSessions } from '../../../test/database/end-worker-sessions.ts'
import { makeCrowdTrader } from '../../../test/followers.ts'
import { type DeliveryScenario, startDeliveryScenario } from '../../../test/mails/delivery-scenario.ts'
import { startTcpProxy } from '../../../test/processes/tcp-proxy.ts'
import { waitingMails } from '../../../test/run-outbox.ts'
import { retryPause } from './categories.ts'
import { queueMail } from './queue-mail.ts'

const OPERATOR = 'operator@example.com'
/** Has something mailed to the operator. */
function notify({ database, clock }: DeliveryScenario, subject = 'a charge is disputed'): Promise<void> {
  const facts = { subject, text: 'Answer it.' }
  return queueMail(database.db, { kind: 'operator_notice', userId: null, facts }, clock.now())
}

/** Makes a person whom a mail about money concerns. @returns how to have one mailed to them */
async function makeReader({ database, clock }: DeliveryScenario) {
  const { traderId } = await makeCrowdTrader(database.pool, 'maria', clock.now())
  return (cause: string) =>
    queueMail(
      database.db,
      {
        kind: 'payment_disputed',
        userId: traderId,
        cause,
        facts: { trader: 'maria', amountCents: 1000, currency: 'usd' },
      },
      clock.now(),
    )
}

/** Makes a person who asks to sign in. */
async function askToSignIn(
  { database, clock }: DeliveryScenario,
  challengeId: string,
  email: string,
): Promise<void> {
  const now = clock.now()
  const later = new Date(now.getTime() + 600_000)
  const values = [challengeId, email, later, now]
  await database.pool.query(
    `insert into otp_challenges (id, email, purpose, create_user, code_expires_at, link_expires_at, created_at)
     values ($1, $2, 'sign_in', true, $3, $3, $4)`,
    values,
  )
  await queueMail(database.db, { kind: 'sign_in', userId: null, facts: { challengeId } }, now)
}

async function untilNothingWaits({ database }: DeliveryScenario): Promise<void> {
  await expect.poll(async () => (await waitingMails(database.db)).length).toBe(0)
}

test('a sign-in mail waits for no other mail, however many the mail server keeps waiting', async () => {
  await using scenario = await startDeliveryScenario({ operatorEmail: OPERATOR })
  const { sink } = scenario
  const answer = Promise.withResolvers<void>()
  sink.script = {
    message: ({ recipient }) => (recipient === OPERATOR ? { until: answer.promise } : null),
  }
  for (let mail = 0; mail < 60; mail += 1) await notify(scenario, `news ${mail}`)
  await scenario.startWorker()
  await sink.until(() => (sink.asked.get(OPERATOR) ?? 0) === 8)
  await askToSignIn(scenario, '00000000-0000-4000-8000-000000000001', 'ada@people.example')
  await sink.until(() => sink.byRecipient.get('ada@people.example') === 1)
  expect(sink.total()).toBe(1)
  answer.resolve()
  await sink.until(() => sink.total() === 61)
  await untilNothingWaits(scenario)
  expect(sink.repeats()).toBe(0)
})

test('a mail whose notification was lost is found', async () => {
  await using scenario = await startDeliveryScenario({ operatorEmail: OPERATOR })
  const { database, sink } = scenario
  await scenario.startWorker()
  await notify(scenario)
  await sink.until(() => sink.total() === 1)
  await untilNothingWaits(scenario)
  // The row alone, as after a session that was lost while it listened.
  await database.pool.query('update outbox set ended_at = null, ended_as = null')
  await sink.until(() => sink.total() === 2)
})

test('a worker that loses its database session keeps the mails that are on their way, and sends none twice', async () => {
  await using scenario = await startDeliveryScenario({ operatorEmail: OPERATOR })
  const { database, sink } = scenario
  const answer = Promise.withResolvers<void>()
  sink.script = { message: () => ({ until: answer.promise }) }
  await scenario.startWorker()
  for (let mail = 0; mail < 8; mail += 1) await notify(scenario, `news ${mail}`)
  await sink.until(() => sink.asked.get(OPERATOR) === 8)
  const { rows } = await database.pool.query<{ owner: number }>(
    'select max(lease_owner) as owner from outbox',
  )
  const owner = rows[0]?.owner ?? 0
  await endWorkerSessions(database.pool, owner)
  // The successor of the session has them under its number.
  await expect
    .poll(async () => {
      const held = await waitingMails(database.db)
      return held.length === 8 && held.every((mail) => mail.lease_owner !== null && mail.lease_owner > owner)
    })
    .toBe(true)
  answer.resolve()
  await untilNothingWaits(scenario)
  expect([sink.total(), sink.byMessageId.size]).toEqual([8, 8])
})

test('while the database is away a worker waits, and what was sent meanwhile is recorded when it is back', async () => {
  await using scenario = await startDeliveryScenario({ operatorEmail: OPERATOR })
  const { database, sink } = scenario
  await using proxy = await startTcpProxy(database.url)
  const answer = Promise.withResolvers<void>()
  sink.script = { message: () => ({ until: answer.promise }) }
  const worker = await scenario.startWorker({ databaseUrl: proxy.url })
  await notify(scenario)
  await sink.until(() => sink.asked.get(OPERATOR) === 1)
  proxy.freeze()
  answer.resolve()
  await sink.until(() => sink.total() === 1)
  await notify(scenario, 'later news')
  proxy.cut()
  await untilNothingWaits(scenario)
  expect([sink.total(), sink.byMessageId.size]).toEqual([2, 2])
  await worker.stop()
  // The library of the job queue calls a lost connection an error.
  const complaints = scenario.complaints.splice(0)
  expect(complaints.filter((line) => !/notify listener|UNLISTEN/.test(line))).toEqual([])
})

test('mails of a worker that hangs are leased by another after ten seconds, and mails of a dead worker at once', async () => {
  await using scenario = await startDeliveryScenario({ operatorEmail: OPERATOR })
  const { database, sink, clock } = scenario
  await notify(scenario, 'of one that hangs')
  await notify(scenario, 'of one that is dead')
  const client = await database.pool.connect()
  await client.query('select pg_advisory_lock(7238, 999)')
  await database.pool.query(
    `update outbox set lease_owner = case when facts ->> 'subject' = 'of one that hangs' then 999 else 998 end, leased_at = $1`,
    [clock.now()],
  )
  await scenario.startWorker()
  await sink.until(() => sink.total() === 1)
  const untilOnlyTheHangingOneHolds = () =>
    expect
      .poll(async () => (await waitingMails(database.db)).map(({ lease_owner }) => lease_owner))
      .toEqual([999])
  await untilOnlyTheHangingOneHolds()
  await scenario.advance(9_000)
  await askToSignIn(scenario, '00000000-0000-4000-8000-000000000002', 'ada@people.example')
  await sink.until(() => sink.total() === 2)
  await untilOnlyTheHangingOneHolds()
  await scenario.advance(1_001)
  await sink.until(() => sink.total() === 3)
  await client.query('select pg_advisory_unlock(7238, 999)')
  client.release()
})

test('a mail is tried with growing pauses until its time is over: four days, and four minutes for a sign-in mail', async () => {
  expect([1, 2, 3, 4, 5].map((tries) => Math.round(retryPause(tries) / 1000))).toEqual([3, 7, 20, 55, 148])
  expect(retryPause(30) / 3_600_000).toBeCloseTo(6.1, 1)
  await using scenario = await startDeliveryScenario({ operatorEmail: OPERATOR })
  const { database, sink, clock } = scenario
  sink.script = { message: () => '451 try again later' }
  await scenario.startWorker()
  const began = clock.now().getTime()
  await askToSignIn(scenario, '00000000-0000-4000-8000-000000000003', 'ada@people.example')
  const owe = await makeReader(scenario)
  await owe('du_1')
  const tries = async (kind: string) => {
    const { rows } = await database.pool.query<{ tries: number; ended_as: string | null }>(
      'select tries, ended_as from outbox where kind = $1',
      [kind],
    )
    return [rows[0]?.tries, rows[0]?.ended_as]
  }
  for (let step = 1; step <= 6; step += 1) {
    await expect.poll(() => tries('sign_in')).toEqual([step, step === 6 ? 'given up' : null])
    if (step < 6) await scenario.advance(retryPause(step) + 1)
  }
  expect(clock.now().getTime() - began).toBeLessThan(240_000)
  expect(scenario.complaints.splice(0)).toEqual([expect.stringContaining('a mail was given up')])
  for (let done = 0; done < 30; done += 1) {
    const [tried, ended] = await tries('payment_disputed')
    if (ended === 'given up') break
    await scenario.advance(retryPause(30) + 1)
    await expect.poll(() => tries('payment_disputed')).not.toEqual([tried, null])
  }
  expect((await tries('payment_disputed'))[1]).toBe('given up')
  const days = (clock.now().getTime() - began) / 86_400_000
  expect(days).toBeGreaterThan(3.5)
  expect(days).toBeLessThan(4.3)
  expect(scenario.complaints.splice(0)).toHaveLength(1)
})

test('a mail of a kind that only a newer version knows waits for its worker', async () => {
  await using scenario = await startDeliveryScenario({ operatorEmail: OPERATOR })
  const { database, sink } = scenario
  await notify(scenario)
  await database.pool.query("update outbox set kind = 'of_a_newer_version'")
  await scenario.startWorker()
  await expect.poll(async () => (await waitingMails(database.db))[0]?.tries).toBe(1)
  await database.pool.query("update outbox set kind = 'operator_notice', due_at = created_at")
  await sink.until(() => sink.total() === 1)
})

test('facts that a kind does not name are not stored, and facts that it needs cannot be left out', async () => {
  await using scenario = await startDeliveryScenario()
  const { database, clock } = scenario
  const facts = { subject: 'news', text: 'Text.', address: 'ada@people.example' }
  await queueMail(database.db, { kind: 'operator_notice', userId: null, facts }, clock.now())
  expect((await waitingMails(database.db)).map((mail) => mail.facts)).toEqual([
    { subject: 'news', text: 'Text.' },
  ])
  const incomplete = { kind: 'operator_notice', userId: null, facts: { subject: 'x' } } as const
  // @ts-expect-error the text is missing
  expect(() => queueMail(database.db, incomplete, clock.now())).toThrow('text')
})
