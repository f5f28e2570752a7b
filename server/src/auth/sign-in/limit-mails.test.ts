import { expect, test } from 'vitest'
import { buildTestApp, type TestApp } from '../../../test/build-test-app.ts'
import { hurryMails, waitingMails } from '../../../test/run-outbox.ts'
import { deliverAccountCodes } from '../../../test/sign-in/account-codes.ts'
import { authWire } from '../../../test/sign-in/auth-wire.ts'
import { deliverSignInMails } from '../../../test/sign-in/sign-in-mails.ts'

const MINUTE_MS = 60_000

/** An app that mails ten in ten minutes, in which a device has signed in as Ada in an earlier ten. */
async function startScenario() {
  const testApp = await buildTestApp({ settings: { mailLimit: 10, codeSpacingSeconds: 0 } })
  const wire = authWire(testApp)
  const { device } = await wire.enterAgain('ada@example.com')
  testApp.clock.advance(10 * MINUTE_MS)
  let strangers = 0
  /** Somebody new, or somebody again. */
  const ask = (email = `person-${++strangers}@example.com`, more: object = {}) =>
    wire.call('POST', '/otp', { body: { email, ...more }, ip: `10.0.0.${strangers}` })
  const askAsAda = () => wire.call('POST', '/otp', { body: { email: 'ada@example.com' }, device })
  return { testApp, wire, ask, askAsAda, [Symbol.asyncDispose]: () => testApp.close() }
}

/** The mails that wait to be sent to the operator. */
async function operatorMails({ db }: TestApp): Promise<{ subject: string; text: string }[]> {
  const mails = await waitingMails(db, 'operator_notice')
  return mails.map(({ facts }) => facts as { subject: string; text: string })
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

test('of thirty requests at once no more are mailed than the limit allows', async () => {
  await using scenario = await startScenario()
  const answers = await Promise.all(Array.from({ length: 30 }, () => scenario.ask()))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(8)
  expect(await deliverSignInMails(scenario.testApp)).toHaveLength(8)
})

test('a mail that is not sent does not count: no user, an older request, a mail server that is down', async () => {
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
  await hurryMails(testApp.db)
  expect(await deliverSignInMails(testApp)).toHaveLength(8)
  expect((await ask()).status).toBe(429)
})

test('a mail that is taken up again after it went gives nothing back', async () => {
  await using scenario = await startScenario()
  const { ask, testApp, wire } = scenario
  for (let sent = 0; sent < 8; sent++) await ask(`person-${sent}@example.com`)
  const mails = await deliverSignInMails(testApp)
  await wire.verify('person-0@example.com', mails.find(({ to }) => to === 'person-0@example.com')?.code ?? '')
  await testApp.db.updateTable('outbox').set({ ended_at: null, ended_as: null }).execute()
  // Seven are mailed again; the code of the eighth has been used.
  expect(await deliverSignInMails(testApp)).toHaveLength(7)
  expect((await ask()).status).toBe(429)
})

test('a mail with a code for the owner of an account counts too, and gives its place back when it does not go', async () => {
  await using scenario = await startScenario()
  const { ask, testApp, wire } = scenario
  const { access_token: token } = (await wire.enterAgain('grace@example.com')).session
  testApp.clock.advance(10 * MINUTE_MS)
  for (let sent = 0; sent < 7; sent++) await ask()
  expect((await wire.call('GET', '/reauthenticate', { token })).status).toBe(200)
  expect((await ask()).status).toBe(429)
  expect(await deliverAccountCodes(testApp, { refuse: true })).toEqual([])
  expect((await ask()).status).toBe(200)
  // Its second try takes a place without asking, and keeps it.
  await hurryMails(testApp.db)
  expect(await deliverAccountCodes(testApp)).toHaveLength(1)
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
  await testApp.db.deleteFrom('outbox').execute()
  for (let window = 0; window < 8; window++) {
    testApp.clock.advance(10 * MINUTE_MS)
    await flood()
  }
  expect(await operatorMails(testApp)).toEqual([])
  testApp.clock.advance(60 * MINUTE_MS)
  await flood()
  expect(await operatorMails(testApp)).toHaveLength(1)
})
