import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { authWire } from '../../test/auth-wire.ts'
import { buildTestApp, type TestApp } from '../../test/build-test-app.ts'
import { deliverSignInMails } from '../../test/sign-in-mails.ts'

const MINUTE_MS = 60_000

/** An app that mails ten in ten minutes, in which a device has signed in as Ada in an earlier ten. */
async function startScenario() {
  const testApp = await buildTestApp({ settings: { mailLimit: 10, codeSpacingSeconds: 0 } })
  const wire = authWire(testApp)
  const { device } = await wire.enterAnew('ada@example.com')
  testApp.clock.advance(10 * MINUTE_MS)
  let strangers = 0
  /** Somebody new, or somebody again. */
  const ask = (email = `person-${++strangers}@example.com`, more: object = {}) =>
    wire.call('POST', '/otp', { body: { email, ...more }, ip: `10.0.0.${strangers}` })
  const askAsAda = () => wire.call('POST', '/otp', { body: { email: 'ada@example.com' }, device })
  return { testApp, wire, ask, askAsAda, [Symbol.asyncDispose]: () => testApp.close() }
}

/** What waits to be mailed to the operator. */
async function operatorMails({ db }: TestApp): Promise<{ subject: string; text: string }[]> {
  const { rows } = await sql<{ payload: { subject: string; text: string } }>`
    select job.payload from graphile_worker._private_jobs job
    join graphile_worker._private_tasks task on task.id = job.task_id
    where task.identifier = 'operator-mail'`.execute(db)
  return rows.map(({ payload }) => payload)
}

test('a fifth of the mails of all is kept for devices that have signed in, and a refusal charges nobody', async () => {
  await using scenario = await startScenario()
  const { ask, askAsAda, testApp } = scenario
  for (let sent = 0; sent < 8; sent++) expect((await ask()).status).toBe(200)
  for (let tries = 0; tries < 7; tries++) {
    const over = await ask('grace@example.com')
    expect([over.status, over.body.code, over.headers['retry-after']]).toEqual([
      429,
      'over_email_send_rate_limit',
      '600',
    ])
  }
  for (let sent = 0; sent < 2; sent++) expect((await askAsAda()).status).toBe(200)
  expect((await askAsAda()).status).toBe(429)
  testApp.clock.advance(10 * MINUTE_MS)
  expect((await ask('grace@example.com')).status).toBe(200)
})

test('of thirty requests at once no more are mailed than the limit says', async () => {
  await using scenario = await startScenario()
  const answers = await Promise.all(Array.from({ length: 30 }, () => scenario.ask()))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(8)
  expect(await deliverSignInMails(scenario.testApp)).toHaveLength(8)
})

test('what is not sent does not count: no user, an older request, a mail server that is down', async () => {
  await using scenario = await startScenario()
  const { ask, testApp } = scenario
  for (let asked = 0; asked < 4; asked++) await ask(undefined, { create_user: false })
  for (let asked = 0; asked < 4; asked++) await ask('again@example.com')
  expect((await ask()).status).toBe(429)
  // One goes, to the address that asked again and again.
  expect(await deliverSignInMails(testApp)).toHaveLength(1)
  for (let asked = 0; asked < 7; asked++) expect((await ask()).status).toBe(200)
  expect((await ask()).status).toBe(429)

  expect(await deliverSignInMails(testApp, { refuse: true })).toEqual([])
  expect((await ask('another@example.com')).status).toBe(200)
  // Tried again later, the mails count where they go.
  await sql`update graphile_worker._private_jobs set run_at = created_at`.execute(testApp.db)
  expect(await deliverSignInMails(testApp)).toHaveLength(8)
  expect((await ask()).status).toBe(429)
})

test('a job that runs again after its mail went gives nothing back', async () => {
  await using scenario = await startScenario()
  const { ask, testApp, wire } = scenario
  for (let sent = 0; sent < 8; sent++) await ask(`person-${sent}@example.com`)
  const mails = await deliverSignInMails(testApp)
  await wire.verify('person-0@example.com', mails.find(({ to }) => to === 'person-0@example.com')?.code ?? '')
  const { id } = await testApp.db
    .selectFrom('otp_challenges')
    .select('id')
    .where('email', '=', 'person-0@example.com')
    .executeTakeFirstOrThrow()
  await sql`select graphile_worker.add_job('send-sign-in-mail', json_build_object('challengeId', ${id}::text))`.execute(
    testApp.db,
  )
  expect(await deliverSignInMails(testApp)).toEqual([])
  expect((await ask()).status).toBe(429)
})

test('the operator is mailed when four fifths have gone, once for as long as that goes on', async () => {
  await using scenario = await startScenario()
  const { ask, testApp } = scenario
  const flood = async () => {
    for (let asked = 0; asked < 12; asked++) await ask()
  }
  for (let sent = 0; sent < 7; sent++) await ask()
  expect(await operatorMails(testApp)).toEqual([])
  await flood()
  expect(await operatorMails(testApp)).toEqual([
    {
      subject: 'sign-in mails are near their limit',
      text: expect.stringMatching(/^8 of the 10 sign-in mails .*AUTH_MAIL_LIMIT/),
    },
  ])
  await sql`delete from graphile_worker._private_jobs`.execute(testApp.db)
  for (let window = 0; window < 8; window++) {
    testApp.clock.advance(10 * MINUTE_MS)
    await flood()
  }
  expect(await operatorMails(testApp)).toEqual([])
  testApp.clock.advance(60 * MINUTE_MS)
  await flood()
  expect(await operatorMails(testApp)).toHaveLength(1)
})
