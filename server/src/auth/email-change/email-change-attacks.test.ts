import { afterAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../../test/build-test-app.ts'
import { deliverAccountCodes } from '../../../test/sign-in/account-codes.ts'
import { authWire, wrongCode } from '../../../test/sign-in/auth-wire.ts'
import { emailChange } from '../../../test/sign-in/email-change.ts'
import { secondFactor } from '../../../test/sign-in/second-factor.ts'
import { deliverSignInMails } from '../../../test/sign-in/sign-in-mails.ts'

const testApp = await buildTestApp({ settings: { limitsOn: false } })
const wire = authWire(testApp)
const change = emailChange(testApp, wire)
const person = secondFactor(testApp, wire)
afterAll(() => testApp.close())
beforeEach(() => testApp.clock.set(TEST_NOW))
let people = 0

function newEmails(): { old: string; next: string } {
  people += 1
  return { old: `victim-${people}@example.com`, next: `thief-${people}@example.com` }
}

/** Somebody who has asked for another address, and both codes. */
async function asking() {
  const { next, old } = newEmails()
  const session = await wire.enter(old)
  const asked = await change.ask(session.access_token, next)
  expect(asked.status, asked.text).toBe(200)
  const codes = await change.codes()
  return {
    old,
    next,
    session,
    token: session.access_token,
    ofOld: codes[old] ?? '',
    ofNext: codes[next] ?? '',
  }
}

test('a stolen session and a mailbox of the thief’s own do not take an account over', async () => {
  const { next, ofNext, old, session, token } = await asking()
  expect((await change.give(next, ofNext, token)).status).toBe(200)
  expect((await change.give(next, ofNext, token)).status).toBe(403)
  expect((await change.give(old, ofNext, token)).status).toBe(403)
  expect((await wire.enter(old)).user).toMatchObject({ id: session.user.id, email: old })
})

test('a code fits its own mailbox only, and neither signing in nor another proof', async () => {
  const { next, ofNext, ofOld, old, token } = await asking()
  const refused = [
    await change.give(old, ofNext),
    await change.give(next, ofOld),
    await wire.verify(old, ofOld),
    await wire.verify(next, ofNext),
    await wire.call('POST', '/verify', { body: { type: 'recovery', email: old, token: ofOld } }),
    await wire.call('POST', '/verify', { body: { type: 'email_change', token_hash: ofOld } }),
  ]
  expect(refused.map(({ body, status }) => [status, body.code])).toEqual(
    refused.map(() => [403, 'otp_expired']),
  )
  expect((await person.giveCode(token, ofOld)).body.code).toBe('reauthentication_not_valid')
  await person.askForCode(token)
  const [proof] = await deliverAccountCodes(testApp)
  expect((await change.give(old, proof?.code ?? '')).status).toBe(403)
  expect((await change.give(old, ofOld)).status).toBe(200)
})

test('an address that is somebody’s is answered as a free one is, gets no code, and is never taken', async () => {
  const { next, old } = newEmails()
  const owner = await wire.enter(next)
  const session = await wire.enter(old)
  const free = await change.ask(session.access_token, 'free@example.com')
  await change.codes()
  const taken = await change.ask(session.access_token, next)
  expect([taken.status, { ...taken.body, new_email: 'free@example.com' }]).toEqual([free.status, free.body])
  const codes = await change.codes()
  expect(codes[next]).toBeNull()
  expect((await change.give(old, codes[old] ?? null)).status).toBe(200)
  const answers = await Promise.all(['000000', '123456'].map((code) => change.give(next, code)))
  expect(answers.map(({ body, status }) => [status, body.code])).toEqual([
    [403, 'otp_expired'],
    [403, 'otp_expired'],
  ])
  expect((await wire.enter(next)).user.id).toBe(owner.user.id)
})

test('an address that becomes somebody’s while the codes are under way is not taken from them', async () => {
  const { next, ofNext, ofOld, old } = await asking()
  const owner = await wire.enter(next)
  expect((await change.give(old, ofOld)).status).toBe(200)
  expect((await change.give(next, ofNext)).body.code).toBe('otp_expired')
  expect((await wire.enter(next)).user.id).toBe(owner.user.id)
})

test('of two people who want one address and have its codes one gets it', async () => {
  const { next } = newEmails()
  const sessions = [await wire.enter(newEmails().old), await wire.enter(newEmails().old)]
  const tokens: string[] = []
  for (const { access_token, user } of sessions) {
    await change.ask(access_token, next)
    const codes = await change.codes()
    tokens.push(codes[next] ?? '')
    expect((await change.give(user.email, codes[user.email] ?? null)).status).toBe(200)
  }
  const answers = await Promise.all(tokens.map((code) => change.give(next, code)))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 403])
  const { rows } = await testApp.pool.query('select id from users where email = $1', [next])
  expect(rows).toHaveLength(1)
})

test('of twenty right codes at once each counts once, and both together change the address once', async () => {
  const { next, ofNext, ofOld, old } = await asking()
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0 ? change.give(old, ofOld) : change.give(next, ofNext),
    ),
  )
  const accepted = answers.filter(({ status }) => status === 200)
  expect(accepted.map(({ body }) => 'access_token' in body).toSorted()).toEqual([false, true])
  expect(answers.filter(({ status }) => status === 403)).toHaveLength(18)
  const { rows } = await testApp.pool.query('select id from email_undos where old_email = $1', [old])
  expect(rows).toHaveLength(1)
})

test('two requests of one person at once leave one change, whose codes are of its address', async () => {
  const { next, old } = newEmails()
  const other = newEmails().next
  const here = await wire.enter(old)
  const there = await wire.enter(old)
  await Promise.all([change.ask(here.access_token, next), change.ask(there.access_token, other)])
  const codes = await change.codes()
  const wanted = (await wire.user(here.access_token)).body.new_email
  expect(Object.keys(codes).toSorted()).toEqual([old, wanted].toSorted())
  expect((await change.give(String(wanted), codes[String(wanted)] ?? null)).status).toBe(200)
  expect((await change.give(old, codes[old] ?? null)).body.user).toMatchObject({ email: wanted })
})

test('a session that is ended takes its change along', async () => {
  const { next, ofNext, ofOld, old, token } = await asking()
  expect((await change.give(old, ofOld)).status).toBe(200)
  await wire.signOut(token, 'local')
  expect((await change.give(next, ofNext)).status).toBe(403)
  expect((await wire.enter(old)).user.email).toBe(old)
})

test('a change that was under way when the second factor is turned on elsewhere is off', async () => {
  const { next, ofNext, ofOld, old } = await asking()
  expect((await change.give(old, ofOld)).status).toBe(200)
  const owner = await wire.enter(old)
  await person.confirm(owner.access_token, await person.enrol(owner.access_token))
  expect((await change.give(next, ofNext)).status).toBe(403)
})

test('a change begun before the second factor was given is not finished at that level', async () => {
  const { next, ofNext, ofOld, old, session } = await asking()
  expect((await change.give(old, ofOld)).status).toBe(200)
  // As if the session had lost its second step since: the account has a factor that this session did not pass.
  const factor = await person.enrol(session.access_token)
  await testApp.pool.query("update mfa_factors set status = 'verified' where id = $1", [factor.id])
  expect((await change.give(next, ofNext)).body.code).toBe('otp_expired')
  const answer = await change.ask(session.access_token, next)
  expect([answer.status, answer.body.code]).toEqual([401, 'insufficient_aal'])
})

test('a client without the session of a change is asked for the second factor after it', async () => {
  const { next, old } = newEmails()
  const { session } = await person.join(old)
  const done = await change.make(session, next)
  expect(done.status).toBe(200)
  const product = await testApp.app.inject({
    url: '/v1/accounts/second-step',
    headers: { authorization: `Bearer ${String(done.body.access_token)}` },
  })
  expect([product.statusCode, product.json().code]).toEqual([401, 'second_factor_required'])
})

test('somebody who is suspended neither asks for another address nor finishes a change', async () => {
  const { next, ofNext, ofOld, old, session, token } = await asking()
  await testApp.pool.query('update users set suspended_at = now() where id = $1', [session.user.id])
  expect((await change.give(old, ofOld)).body.code).toBe('user_banned')
  expect((await change.give(next, ofNext)).body.code).toBe('user_banned')
  expect((await change.ask(token, next)).body.code).toBe('user_banned')
})

test('a sign-in in between changes nothing, and its mails from before the change are worth nothing after', async () => {
  const { next, ofNext, ofOld, old } = await asking()
  const between = await wire.enter(old)
  const waiting = await wire.mailTo(old)
  const newcomer = await wire.mailTo(next)
  expect((await change.give(old, ofOld)).status).toBe(200)
  expect((await change.give(next, ofNext)).status).toBe(200)
  expect((await wire.user(between.access_token)).status).toBe(403)
  const answers = [
    await wire.verify(old, waiting.code),
    await wire.verifyLink(waiting.tokenHash),
    await wire.verify(next, newcomer.code),
    await wire.verifyLink(newcomer.tokenHash),
  ]
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403])
  const { rows } = await testApp.pool.query('select count(*)::int as n from users where email = any($1)', [
    [old, next],
  ])
  expect(rows).toEqual([{ n: 1 }])
})

test('a sign-in mail that was asked for before the change and is written after it has no code', async () => {
  const { next, ofNext, ofOld, old } = await asking()
  await wire.otp(old)
  expect((await change.give(old, ofOld)).status).toBe(200)
  expect((await change.give(next, ofNext)).status).toBe(200)
  expect(await deliverSignInMails(testApp)).toEqual([])
})

test('wrong codes of strangers end a stranger’s tries, and not those of the session that asked', async () => {
  const { next, ofNext, ofOld, old, token } = await asking()
  for (let tries = 0; tries < 6; tries++) {
    expect((await change.give(old, wrongCode(ofOld))).status).toBe(403)
    expect((await change.give(next, wrongCode(ofNext))).status).toBe(403)
  }
  expect((await change.give(old, ofOld)).status).toBe(403)
  expect((await change.give(old, ofOld, token)).status).toBe(200)
  expect((await change.give(next, ofNext, token)).status).toBe(200)
})

test('five wrong codes of the session itself end the code', async () => {
  const { ofOld, old, token } = await asking()
  for (let tries = 0; tries < 5; tries++) await change.give(old, wrongCode(ofOld), token)
  expect((await change.give(old, ofOld, token)).status).toBe(403)
})

test('the session of somebody else is none that asked, and their change is not touched', async () => {
  const { next, ofNext, ofOld, old, session } = await asking()
  const other = await wire.enter(newEmails().old)
  expect((await change.give(old, ofOld, other.access_token)).status).toBe(200)
  const done = await change.give(next, ofNext, other.access_token)
  expect(done.body.user).toMatchObject({ id: session.user.id, email: next })
  expect((await wire.user(other.access_token)).body).toMatchObject({
    id: other.user.id,
    email: other.user.email,
  })
})
