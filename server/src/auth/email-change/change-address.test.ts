import { afterAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../../test/build-test-app.ts'
import { takeMails } from '../../../test/run-outbox.ts'
import { authWire } from '../../../test/sign-in/auth-wire.ts'
import { emailChange } from '../../../test/sign-in/email-change.ts'
import { secondFactor } from '../../../test/sign-in/second-factor.ts'
import { deliverSignInMails } from '../../../test/sign-in/sign-in-mails.ts'
import { readAudit } from '../audit/read-audit.ts'
import { makeSecretKey } from '../keys/secret-key.ts'

const testApp = await buildTestApp({ settings: { limitsOn: false } })
const wire = authWire(testApp)
const change = emailChange(testApp, wire)
const person = secondFactor(testApp, wire)
afterAll(() => testApp.close())
beforeEach(() => testApp.clock.set(TEST_NOW))
let people = 0

function newEmails(): { old: string; next: string } {
  people += 1
  return { old: `before-${people}@example.com`, next: `after-${people}@example.com` }
}

const isIn = async (token: string) => (await wire.user(token)).status === 200

test('a code from the old mailbox and one from the new give an account another address', {
  tags: ['AUTH-33'],
}, async () => {
  const { next, old } = newEmails()
  const here = await wire.enter(old)
  const there = await wire.enter(old)
  const asked = await change.ask(here.access_token, next)
  expect([asked.status, asked.body.email, asked.body.new_email]).toEqual([200, old, next])
  expect(asked.body.email_change_sent_at).toBe(TEST_NOW.toISOString())
  const codes = await change.codes()
  expect(Object.keys(codes).toSorted()).toEqual([next, old])
  const half = await change.give(next, codes[next] ?? null)
  expect([half.status, half.body]).toEqual([
    200,
    {
      code: '200',
      msg: 'Confirmation link accepted. Please proceed to confirm link sent to the other email',
    },
  ])
  expect((await wire.user(here.access_token)).body).toMatchObject({ email: old, new_email: next })
  const done = await change.give(old, codes[old] ?? null)
  expect(done.status, done.text).toBe(200)
  expect(done.body.user).toMatchObject({ id: here.user.id, email: next })
  expect(done.body.user as object).not.toHaveProperty('new_email')
  expect(done.body.user).toMatchObject({
    identities: [{ email: next, identity_data: { email: next, email_verified: true, sub: here.user.id } }],
  })
  // Whoever showed no session that asked has a new one, and every other is over.
  expect(await Promise.all([here, there].map((one) => isIn(one.access_token)))).toEqual([false, false])
  expect(await isIn(String(done.body.access_token))).toBe(true)
  const again = await wire.enter(next)
  expect(again.user.id).toBe(here.user.id)
})

test('the session that asked stays, at the level it has, when it gives the second code itself', async () => {
  const { next, old } = newEmails()
  const { factor, session } = await person.join(old)
  await wire.enter(old)
  const done = await change.make(session, next, session.access_token)
  expect(done.status, done.text).toBe(200)
  expect(done.body.refresh_token).toBe(session.refresh_token)
  expect(done.body.user).toMatchObject({ email: next, factors: [{ id: factor.id, status: 'verified' }] })
  const { rows } = await testApp.pool.query(
    'select aal from sessions where user_id = $1 and revoked_at is null',
    [session.user.id],
  )
  expect(rows).toEqual([{ aal: 'aal2' }])
  const claims = JSON.parse(
    Buffer.from(String(done.body.access_token).split('.')[1] ?? '', 'base64url').toString(),
  )
  expect(claims).toMatchObject({ email: next, aal: 'aal2' })
})

test('after a change the old address signs nobody in and says nothing, for 72 hours, then it is free', async () => {
  const { next, old } = newEmails()
  const session = await wire.enter(old)
  await change.make(session, next)
  await change.undoLink()
  const unknown = await wire.otp('nobody-at-all@example.com', { create_user: false })
  const asked = await wire.otp(old)
  expect([asked.status, asked.text]).toEqual([unknown.status, unknown.text])
  expect((await deliverSignInMails(testApp)).map(({ to }) => to)).not.toContain(old)
  testApp.clock.advance(72 * 3_600_000)
  const stranger = await wire.enter(old)
  expect(stranger.user.id).not.toBe(session.user.id)
})

test('the old mailbox is told, with the new address and a link, and neither log nor outbox has an address', async () => {
  const { next, old } = newEmails()
  await change.make(await wire.enter(old), next)
  const [mail] = await takeMails(testApp, ['address_changed'])
  expect(mail?.to).toBe(old)
  expect(mail?.text).toContain(`New address: ${next}`)
  expect(mail?.text).toMatch(/\/mail\/address\/[\w-]{64}\n/)
  const { rows } = await testApp.pool.query<{ row: string }>(
    'select audit_log::text as row from audit_log union all select outbox::text from outbox',
  )
  expect(rows.filter(({ row }) => row.includes(old) || row.includes(next))).toEqual([])
})

test('the operator reads a change under both addresses', async () => {
  const { next, old } = newEmails()
  await change.make(await wire.enter(old), next)
  const deps = { db: testApp.db, secret: makeSecretKey(testApp.settings.authSecret) }
  const actions = async (email: string) =>
    (await readAudit(deps, email))
      .map((line) => line.split('  ')[1])
      .filter((action) => action?.startsWith('email_'))
  expect(await actions(next)).toEqual(['email_changed', 'email_change_confirmed', 'email_change_requested'])
  expect(await actions(old)).toEqual(['email_changed'])
})

test('the present address in any spelling takes an unfinished change back and mails nobody', async () => {
  const old = 'ada@xn--bcher-kva.example'
  const session = await wire.enter(old)
  await change.ask(session.access_token, newEmails().next)
  const codes = await change.codes()
  const answer = await change.ask(session.access_token, ' ADA@BÜCHER.example ')
  expect([answer.status, answer.body.email]).toEqual([200, old])
  expect(answer.body).not.toHaveProperty('new_email')
  expect(await change.codes()).toEqual({})
  expect((await change.give(old, codes[old] ?? null)).status).toBe(403)
})

test('an unfinished change is off after an hour, and its codes after ten minutes', async () => {
  const { next, old } = newEmails()
  const session = await wire.enter(old)
  await change.ask(session.access_token, next)
  const codes = await change.codes()
  testApp.clock.advance(10 * 60_000)
  expect((await change.give(old, codes[old] ?? null)).status).toBe(403)
  testApp.clock.advance(49 * 60_000)
  await change.again(old, session.access_token)
  const late = await change.codes()
  expect((await change.give(old, late[old] ?? null)).status).toBe(200)
  testApp.clock.advance(60_000)
  expect((await change.give(next, late[next] ?? null)).status).toBe(403)
  expect((await wire.user(session.access_token)).body).not.toHaveProperty('new_email')
  expect((await wire.enter(old)).user.id).toBe(session.user.id)
})

test('a second request takes the place of the first, and codes of the first are worth nothing', async () => {
  const { next, old } = newEmails()
  const other = newEmails().next
  const session = await wire.enter(old)
  await change.ask(session.access_token, other)
  const first = await change.codes()
  await change.ask(session.access_token, next)
  expect((await change.give(old, first[old] ?? null)).status).toBe(403)
  expect((await change.give(other, first[other] ?? null)).status).toBe(403)
  const codes = await change.codes()
  expect((await change.give(old, codes[old] ?? null)).status).toBe(200)
  expect((await change.give(next, codes[next] ?? null)).body.user).toMatchObject({ email: next })
})

test('sent again are the codes that were not typed yet, also through a client that shows no session', async () => {
  const { next, old } = newEmails()
  const session = await wire.enter(old)
  await change.ask(session.access_token, next)
  const first = await change.codes()
  expect((await change.give(old, first[old] ?? null)).status).toBe(200)
  expect((await change.again(old)).body).toEqual({})
  const second = await change.codes()
  expect(Object.keys(second)).toEqual([next])
  expect((await change.give(next, first[next] ?? null)).status).toBe(403)
  expect((await change.give(next, second[next] ?? null)).status).toBe(200)
})

test('a suppressed mailbox is left behind with the old address', async () => {
  const { next, old } = newEmails()
  const session = await wire.enter(old)
  const insert = testApp.db.insertInto('suppressions')
  await insert.values({ user_id: session.user.id, cause: 'complained', created_at: TEST_NOW }).execute()
  await change.make(session, next)
  const left = await testApp.db.selectFrom('suppressions').select('user_id').execute()
  expect(left.map(({ user_id }) => user_id)).not.toContain(session.user.id)
})

test('an address to which no mail can go is refused, naming the field', async () => {
  const session = await wire.enter(newEmails().old)
  const answers = await Promise.all(
    ['no address', 'müller@example.com', 'a@1.2'].map((email) => change.ask(session.access_token, email)),
  )
  expect(answers.map(({ body, status }) => [status, body.code])).toEqual([
    [400, 'validation_failed'],
    [422, 'email_address_invalid'],
    [422, 'email_address_invalid'],
  ])
  expect(answers.every(({ body }) => 'email' in (body.fields as object))).toBe(true)
  expect(await change.codes()).toEqual({})
})
