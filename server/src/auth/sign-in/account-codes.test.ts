import { endpoints } from '@tradepost/contract/endpoints'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../../test/build-test-app.ts'
import { hurryMails, waitingMails } from '../../../test/run-outbox.ts'
import { runPurges } from '../../../test/run-purges.ts'
import { deliverAccountCodes } from '../../../test/sign-in/account-codes.ts'
import { authWire, wrongCode } from '../../../test/sign-in/auth-wire.ts'
import { secondFactor } from '../../../test/sign-in/second-factor.ts'
import { bearer } from '../../../test/sign-in/sign-in.ts'

const MINUTE_MS = 60_000

// Its own limits count; those of networks are far away.
const testApp = await buildTestApp()
const wire = authWire(testApp)
const person = secondFactor(testApp, wire)
afterAll(() => testApp.close())
let address = 0
let start = TEST_NOW
beforeEach(() => {
  // An hour later: nothing that is counted reaches from one test into the next.
  start = new Date(start.getTime() + 3 * 60 * MINUTE_MS)
  testApp.clock.set(start)
})

function newEmail(): string {
  address += 1
  return `again-${address}@example.com`
}

const pass = (minutes: number) => testApp.clock.advance(minutes * MINUTE_MS)

/** Codes of the app count once, and mails are spaced. */
async function enterLater(email: string) {
  pass(1)
  return wire.enter(email)
}

async function secondStepOf(token: string) {
  const answer = await testApp.app.inject({ url: endpoints.secondStep.path, headers: bearer(token) })
  expect(answer.statusCode).toBe(200)
  return answer.json()
}

async function statusesOf(token: string) {
  const { factors } = (await wire.user(token)).body as { factors: { status: string }[] }
  return factors.map(({ status }) => status)
}

test('more than five minutes after the sign-in a session turns the second step on, and off, only with a mailed code', {
  tags: ['AUTH-30'],
}, async () => {
  const { access_token: token } = await wire.enter(newEmail())
  const factor = await person.enrol(token)
  testApp.clock.advance(5 * MINUTE_MS + 1)
  expect(await secondStepOf(token)).toMatchObject({ mailedCodeDue: true })
  const refused = await person.tryToConfirm(token, factor)
  expect([refused.status, refused.body.code]).toEqual([400, 'reauthentication_needed'])
  expect(await statusesOf(token)).toEqual(['unverified'])
  // The app's code was not used up by the refusal.
  await person.reauthenticate(token)
  expect(await secondStepOf(token)).toMatchObject({ mailedCodeDue: false })
  const { access_token } = await person.confirm(token, factor)
  expect(await statusesOf(access_token)).toEqual(['verified'])

  testApp.clock.advance(5 * MINUTE_MS + 1)
  expect((await person.remove(access_token, factor)).body.code).toBe('reauthentication_needed')
  await person.reauthenticate(access_token)
  expect((await person.remove(access_token, factor)).status).toBe(200)
})

test('within five minutes of the sign-in no mailed code is asked for, to the millisecond', async () => {
  const { access_token: token } = await wire.enter(newEmail())
  const factor = await person.enrol(token)
  pass(5)
  expect(await secondStepOf(token)).toMatchObject({ mailedCodeDue: false })
  await person.confirm(token, factor)
})

test('a mailed code counts for five minutes and for the session that asked, also for turning the second step off', async () => {
  const email = newEmail()
  const { session, factor } = await person.join(email)
  const other = await person.confirm((await enterLater(email)).access_token, factor)
  pass(6)
  const { access_token: token } = session
  const refused = await person.remove(token, factor)
  expect([refused.status, refused.body.code]).toEqual([400, 'reauthentication_needed'])
  await person.reauthenticate(other.access_token)
  expect((await person.remove(token, factor)).body.code).toBe('reauthentication_needed')
  testApp.clock.advance(5 * MINUTE_MS + 1)
  expect((await person.remove(other.access_token, factor)).body.code).toBe('reauthentication_needed')
  expect(await statusesOf(token)).toEqual(['verified'])
  await person.reauthenticate(token)
  pass(5)
  expect((await person.remove(token, factor)).status).toBe(200)
})

test('an enrolment that never counted is taken back without a mailed code', async () => {
  const { access_token: token } = await wire.enter(newEmail())
  const factor = await person.enrol(token)
  pass(30)
  expect((await person.remove(token, factor)).status).toBe(200)
})

test('a session that lacks its second step neither asks for a code nor gives one', async () => {
  const email = newEmail()
  await person.join(email)
  pass(1)
  const { access_token: token } = await wire.enter(email)
  const answers = [await person.askForCode(token), await person.giveCode(token, '123456')]
  expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
    [403, 'insufficient_aal'],
    [401, 'insufficient_aal'],
  ])
  expect(await deliverAccountCodes(testApp)).toEqual([])
  expect((await wire.call('GET', '/reauthenticate')).status).toBe(401)
})

test('a mailed code works once, for ten minutes, and only the newest; five wrong ones end it', async () => {
  const { access_token: token } = await wire.enter(newEmail())
  const mailed = async () => {
    pass(1)
    expect((await person.askForCode(token)).status).toBe(200)
    return (await deliverAccountCodes(testApp))[0]?.code ?? ''
  }
  const refused = async (code: string) => {
    const { status, body } = await person.giveCode(token, code)
    expect([status, body.code]).toEqual([422, 'reauthentication_not_valid'])
  }
  await refused('123456')
  const first = await mailed()
  const second = await mailed()
  if (first !== second) await refused(first)
  expect((await person.giveCode(token, ` ${second.slice(0, 3)} ${second.slice(3)}`)).status).toBe(200)
  await refused(second)

  const third = await mailed()
  testApp.clock.advance(10 * MINUTE_MS)
  await refused(third)
  const fourth = await mailed()
  for (let tries = 0; tries < 5; tries++) await refused(wrongCode(fourth))
  await refused(fourth)
  // Ten in an hour over all codes: one was given before the fourth, and those that met no living code do not count.
  const fifth = await mailed()
  for (let tries = 0; tries < 4; tries++) await refused(wrongCode(fifth))
  await refused(fifth)
})

test('tries at once are counted too, and of twenty right ones at once one counts', async () => {
  const { access_token: token } = await wire.enter(newEmail())
  await person.askForCode(token)
  const [mail] = await deliverAccountCodes(testApp)
  const code = mail?.code ?? ''
  const right = await Promise.all(Array.from({ length: 20 }, () => person.giveCode(token, code)))
  expect(right.filter(({ status }) => status === 200)).toHaveLength(1)
})

test('a session gets one mail a minute and five an hour, which are not counted against the owner', async () => {
  const email = newEmail()
  const { access_token: stolen, refresh_token } = await wire.enter(email)
  pass(1)
  const { access_token: own } = await wire.enter(email)
  const first = testApp.clock.now().getTime()
  for (let sent = 0; sent < 5; sent++) {
    expect((await person.askForCode(stolen)).status).toBe(200)
    const again = await person.askForCode(stolen)
    expect([again.status, again.body.code, again.headers['retry-after']]).toEqual(
      sent < 4 ? [429, 'over_email_send_rate_limit', '60'] : [429, 'over_email_send_rate_limit', '3360'],
    )
    pass(1)
  }
  expect((await person.askForCode(stolen)).status).toBe(429)
  expect(await deliverAccountCodes(testApp)).toHaveLength(1)
  // The owner's other session has its own, and so has signing in.
  expect((await person.askForCode(own)).status).toBe(200)
  expect((await wire.otp(email)).status).toBe(200)
  testApp.clock.set(new Date(first + 60 * MINUTE_MS))
  const renewed = String((await wire.refresh(refresh_token)).body.access_token)
  expect((await person.askForCode(renewed)).status).toBe(200)
})

test('codes are stored as keyed hashes, and the outbox holds neither address nor code', async () => {
  const email = newEmail()
  const { access_token: token } = await wire.enter(email)
  await person.askForCode(token)
  expect(await waitingMails(testApp.db, 'account_code')).not.toEqual([])
  // A mail server that is down loses nothing; the code of the next try is another.
  expect(await deliverAccountCodes(testApp, { refuse: true })).toEqual([])
  await hurryMails(testApp.db)
  const [mail] = await deliverAccountCodes(testApp)
  expect(mail).toMatchObject({ to: email, purpose: 'reauthentication' })
  const rows = await testApp.db.selectFrom('account_codes').selectAll().execute()
  const text = JSON.stringify(rows) + rows.map(({ code_hmac }) => code_hmac?.toString('latin1')).join()
  expect(text).not.toContain(`"${mail?.code}"`)
  const mails = JSON.stringify(await testApp.db.selectFrom('outbox').selectAll().execute())
  for (const secret of [email, `"${mail?.code}"`]) expect(mails).not.toContain(secret)
  expect((await person.giveCode(token, mail?.code ?? '')).status).toBe(200)
})

test('codes that are older than an hour are forgotten', async () => {
  const { access_token: token } = await wire.enter(newEmail())
  await person.askForCode(token)
  const count = async () =>
    (await testApp.db.selectFrom('account_codes').select('holder_id').execute()).length
  await runPurges(testApp)
  expect(await count()).toBe(1)
  testApp.clock.advance(60 * MINUTE_MS + 1)
  await runPurges(testApp)
  expect(await count()).toBe(0)
})
