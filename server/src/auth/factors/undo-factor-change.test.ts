import { afterAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../../test/build-test-app.ts'
import { countWaiting } from '../../../test/database/waiting-for-locks.ts'
import { takeMails } from '../../../test/run-outbox.ts'
import { runPurges } from '../../../test/run-purges.ts'
import { deliverAccountCodes } from '../../../test/sign-in/account-codes.ts'
import { authWire, wrongCode } from '../../../test/sign-in/auth-wire.ts'
import { secondFactor } from '../../../test/sign-in/second-factor.ts'
import { makeSecretKey } from '../keys/secret-key.ts'
import { makeRecoveryCodes } from './make-recovery-codes.ts'
import { removeLostFactors } from './remove-lost-factors.ts'

const HOUR_MS = 3_600_000
const CLIENT = { ip: '127.0.0.1', userAgent: null }

const testApp = await buildTestApp({ settings: { limitsOn: false } })
const deps = { db: testApp.db, secret: makeSecretKey(testApp.settings.authSecret) }
const wire = authWire(testApp)
const person = secondFactor(testApp, wire)
afterAll(() => testApp.close())
beforeEach(() => testApp.clock.set(TEST_NOW))
let address = 0

function newEmail(): string {
  address += 1
  return `undo-${address}@example.com`
}

/** The waiting mails about changed factors; links as paths. */
async function readMails() {
  const mails = await takeMails(testApp, ['second_factor_changed'])
  return mails.map(({ to, facts, text }) => {
    const link = /^Undo this change:\n(\S+)$/m.exec(text)?.[1]
    return { to, change: facts.change, path: link ? new URL(link).pathname : null }
  })
}

/** The path of the only link in the mails that wait. */
async function readLink(): Promise<string> {
  const links = (await readMails()).flatMap(({ path }) => path ?? [])
  expect(links).toHaveLength(1)
  return links[0] ?? ''
}

const open = (path: string) => testApp.app.inject({ url: path })

/** Presses the button of the page, with a code when one was typed. */
function press(path: string, code?: string) {
  return testApp.app.inject({
    method: 'POST',
    url: path,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: code === undefined ? '' : new URLSearchParams({ code }).toString(),
  })
}

async function askForCode(path: string): Promise<string> {
  const asked = await press(path)
  expect(asked.statusCode, asked.body).toBe(200)
  const [mail] = await deliverAccountCodes(testApp)
  expect(mail?.purpose).toBe('factor_undo')
  return mail?.code ?? ''
}

async function undo(path: string): Promise<void> {
  const done = await press(path, await askForCode(path))
  expect(done.statusCode, done.body).toBe(200)
  expect(done.body).toMatch(/The authenticator app has been (removed|restored)/)
}

const isIn = async (token: string) => (await wire.user(token)).status === 200

test('link and mailed code together take a factor away that was added, and end every session', async () => {
  const email = newEmail()
  const thief = await person.join(email)
  const { codes } = await makeRecoveryCodes(deps, callerOf(thief.session), CLIENT, TEST_NOW)
  expect(codes).toHaveLength(10)
  const path = await readLink()
  const page = await open(path)
  expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  expect(page.body).toContain('Remove the authenticator app that was added?')
  expect(page.body).toContain('--background:oklch(0.16 0.01 260);--foreground:oklch(0.95 0.005 260);')
  // Opening it mails nothing and changes nothing.
  expect(await deliverAccountCodes(testApp)).toEqual([])
  expect(await isIn(thief.session.access_token)).toBe(true)
  await undo(path)
  expect(await isIn(thief.session.access_token)).toBe(false)
  const owner = await wire.enter(email)
  expect(owner.user.factors).toEqual([])
  expect(await testApp.db.selectFrom('recovery_codes').select('user_id').execute()).toEqual([])
  // The mail about the undo has no link: the person who undoes a change reads the mailbox.
  expect(await readMails()).toEqual([{ to: email, change: 'removed', path: null }])
  const again = await open(path)
  expect([again.statusCode, again.body]).toEqual([410, expect.stringContaining('was undone already')])
})

test('link and mailed code bring a removed factor back for 72 hours, with its secret and name, and end what was signed in', {
  tags: ['AUTH-32'],
}, async () => {
  const email = newEmail()
  const { access_token } = await wire.enter(email)
  const factor = await person.enrol(access_token, 'My phone')
  const { access_token: token } = await person.confirm(access_token, factor)
  await readMails()
  expect((await person.remove(token, factor)).status).toBe(200)
  const path = await readLink()
  testApp.clock.advance(71 * HOUR_MS)
  const later = await wire.enter(email)
  // A set-up that was begun under its name gives way.
  await person.enrol(later.access_token, 'My phone')
  await undo(path)
  expect(await isIn(later.access_token)).toBe(false)
  const owner = await wire.enter(email)
  expect(owner.user.factors).toMatchObject([
    { id: factor.id, status: 'verified', friendly_name: 'My phone', factor_type: 'totp' },
  ])
  const { access_token: again } = await person.confirm(owner.access_token, factor)

  await readMails()
  expect((await person.remove(again, factor)).status).toBe(200)
  const late = await readLink()
  testApp.clock.advance(72 * HOUR_MS)
  const answer = await open(late)
  expect([answer.statusCode, answer.body]).toEqual([410, expect.stringContaining('has expired')])
})

test('the link alone does nothing, nor does a code without it, and five wrong ones end the code', async () => {
  const { session, factor } = await person.join(newEmail())
  const path = await readLink()
  expect((await press(path, '123456')).statusCode).toBe(422)
  const code = await askForCode(path)
  for (let tries = 0; tries < 5; tries++) {
    const wrong = await press(path, wrongCode(code))
    expect([wrong.statusCode, wrong.body]).toEqual([422, expect.stringContaining('That code is not right')])
  }
  expect((await press(path, code)).statusCode).toBe(422)
  // A code for changing is none for undoing.
  await person.askForCode(session.access_token)
  const [other] = await deliverAccountCodes(testApp)
  expect((await press(path, other?.code ?? '')).statusCode).toBe(422)
  const { factors } = (await wire.user(session.access_token)).body as { factors: unknown[] }
  expect(factors).toMatchObject([{ id: factor.id, status: 'verified' }])
  await undo(path)
})

test('a link that we did not make leads nowhere', async () => {
  await person.join(newEmail())
  const path = await readLink()
  const forged = `${path.slice(0, -2)}${path.endsWith('AA') ? 'BB' : 'AA'}`
  const token = 'A'.repeat(64)
  for (const url of [forged, `/mail/second-step/${token}`, '/mail/second-step/x']) {
    for (const answer of [await open(url), await press(url), await press(url, '123456')]) {
      expect([answer.statusCode, answer.body]).toEqual([404, expect.stringContaining('leads nowhere')])
    }
  }
  expect(await deliverAccountCodes(testApp)).toEqual([])
})

test('after another change the page of a link answers that it is out of date, and the newest link counts', async () => {
  const email = newEmail()
  const { session, factor } = await person.join(email)
  const first = await readLink()
  const code = await askForCode(first)
  testApp.clock.advance(1)
  expect((await person.remove(session.access_token, factor)).status).toBe(200)
  const second = await readLink()
  for (const answer of [await open(first), await press(first), await press(first, code)]) {
    expect([answer.statusCode, answer.body]).toEqual([410, expect.stringContaining('changed again after it')])
    expect(answer.body).toContain('This link is out of date')
  }
  await undo(second)
  expect((await wire.enter(email)).user.factors).toMatchObject([{ id: factor.id, status: 'verified' }])
})

test('a link counts for 72 hours, to the millisecond; then the secret of a removed factor is forgotten', async () => {
  const { session, factor } = await person.join(newEmail())
  await readMails()
  await person.remove(session.access_token, factor)
  const path = await readLink()
  const kept = () =>
    testApp.db.selectFrom('factor_undos').select('id').where('factor_id', '=', factor.id).execute()
  testApp.clock.advance(72 * HOUR_MS - 1)
  expect((await open(path)).statusCode).toBe(200)
  await runPurges(testApp)
  expect(await kept()).toHaveLength(2)
  testApp.clock.advance(1)
  const late = await open(path)
  expect([late.statusCode, late.body]).toEqual([410, expect.stringContaining('has expired')])
  await runPurges(testApp)
  expect(await kept()).toEqual([])
  expect((await open(path)).body).toContain('has expired')
})

test('a removal by the operator is undone the same way', async () => {
  const email = newEmail()
  const { factor } = await person.join(email)
  await readMails()
  testApp.clock.advance(1)
  await removeLostFactors(deps, email, testApp.clock.now())
  await undo(await readLink())
  expect((await wire.enter(email)).user.factors).toMatchObject([{ id: factor.id, status: 'verified' }])
})

test('of twenty tries of the right code at once one undoes', async () => {
  const email = newEmail()
  await person.join(email)
  const path = await readLink()
  const code = await askForCode(path)
  const answers = await Promise.all(Array.from({ length: 20 }, () => press(path, code)))
  expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
  expect((await readMails()).filter(({ to }) => to === email)).toHaveLength(1)
})

test('a code that another one replaces while its undoing waits undoes nothing', async () => {
  const email = newEmail()
  const { session, factor } = await person.join(email)
  const path = await readLink()
  const code = await askForCode(path)
  const holding = await testApp.pool.connect()
  try {
    // The code has been found right by the time the undoing waits for the lock of its row.
    await holding.query('begin')
    await holding.query('select from factor_undos where factor_id = $1 for update', [factor.id])
    const waiting = press(path, code)
    while ((await countWaiting(testApp)) === 0);
    await askForCode(path)
    await holding.query('commit')
    const late = await waiting
    expect([late.statusCode, late.body]).toEqual([422, expect.stringContaining('That code is not right')])
  } finally {
    holding.release()
  }
  expect(await isIn(session.access_token)).toBe(true)
  const { factors } = (await wire.user(session.access_token)).body as { factors: unknown[] }
  expect(factors).toMatchObject([{ id: factor.id, status: 'verified' }])
})

test('a link gets one mail a minute and five an hour, and a person who must wait may type the newest code', async () => {
  await using limited = await buildTestApp({ clock: testApp.clock, database: testApp })
  await person.join(newEmail())
  const path = await readLink()
  const ask = () =>
    limited.app.inject({
      method: 'POST',
      url: path,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  expect((await ask()).statusCode).toBe(200)
  const soon = await ask()
  expect([soon.statusCode, soon.body]).toEqual([429, expect.stringContaining('No more mails can be sent')])
  const [mail] = await deliverAccountCodes(testApp)
  expect((await press(path, mail?.code ?? '')).statusCode).toBe(200)
})

test('no row holds the secret of a link', async () => {
  await person.join(newEmail())
  const mails = await testApp.db.selectFrom('outbox').selectAll().execute()
  const rows = await testApp.db.selectFrom('factor_undos').selectAll().execute()
  const token = (await readLink()).split('/').at(-1) ?? ''
  expect(token).toHaveLength(64)
  expect(JSON.stringify([mails, rows])).not.toContain(token)
})

function callerOf(session: { access_token: string; user: { id: string; email: string } }) {
  const claims = JSON.parse(Buffer.from(session.access_token.split('.')[1] ?? '', 'base64url').toString())
  return { userId: session.user.id, sessionId: claims.session_id as string, email: session.user.email }
}

test('another app whose set-up was begun before the undoing does not become a second step in place of the restored one', async () => {
  const email = newEmail()
  const { factor, session } = await person.join(email)
  await readMails()
  testApp.clock.advance(1)
  expect((await person.remove(session.access_token, factor)).status).toBe(200)
  const path = await readLink()
  const thief = await wire.enter(email)
  const other = await person.enrol(thief.access_token, 'other')
  await undo(path)
  const { factors } = (await wire.enter(email)).user as unknown as { factors: unknown[] }
  expect(factors).toMatchObject([{ id: factor.id, status: 'verified' }])
  const again = await wire.enter(email)
  const begun = await wire.call('POST', `/factors/${other.id}/challenge`, {
    token: again.access_token,
    body: {},
  })
  expect(begun.status).toBe(404)
})

test('a session that has not confirmed the second step turns no other app on', async () => {
  const email = newEmail()
  const { factor, session } = await person.join(email)
  const other = await person.enrol(session.access_token, 'other')
  const thief = await wire.enter(email)
  const answer = await person.tryToConfirm(thief.access_token, other)
  expect(answer).toMatchObject({ status: 403, body: { error_code: 'insufficient_aal' } })
  expect((await person.tryToConfirm(thief.access_token, factor)).status).not.toBe(403)
})

test('recovery codes that wait for somebody who ends the session meanwhile are not made', async () => {
  const email = newEmail()
  const { session } = await person.join(email)
  const { session_id: id } = JSON.parse(atob(session.access_token.split('.')[1] ?? ''))
  const caller = callerOf(session)
  const holding = await testApp.pool.connect()
  await holding.query('begin')
  await holding.query('select from users where id = $1 for update', [caller.userId])
  const making = makeRecoveryCodes(deps, caller, CLIENT, TEST_NOW).then(
    () => 'made',
    ({ code }) => code,
  )
  await expect.poll(() => countWaiting(testApp)).toBe(1)
  await holding.query('update sessions set revoked_at = $2 where id = $1', [id, TEST_NOW])
  await holding.query('commit')
  holding.release()
  expect(await making).toBe('unauthorized')
})
