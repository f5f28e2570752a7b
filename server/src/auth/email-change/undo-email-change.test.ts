import { afterAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../../test/build-test-app.ts'
import { takeMails } from '../../../test/run-outbox.ts'
import { runPurges } from '../../../test/run-purges.ts'
import { authWire } from '../../../test/sign-in/auth-wire.ts'
import { emailChange } from '../../../test/sign-in/email-change.ts'
import { secondFactor } from '../../../test/sign-in/second-factor.ts'
import { deliverSignInMails } from '../../../test/sign-in/sign-in-mails.ts'

const HOUR_MS = 3_600_000

const testApp = await buildTestApp({ settings: { limitsOn: false } })
const wire = authWire(testApp)
const change = emailChange(testApp, wire)
const person = secondFactor(testApp, wire)
afterAll(() => testApp.close())
beforeEach(() => testApp.clock.set(TEST_NOW))
let addresses = 0

function newEmail(): string {
  addresses += 1
  return `undo-${addresses}@example.com`
}

/** Somebody whose address was changed, and the link in the mailbox from before. */
async function changed(old = newEmail(), next = newEmail()) {
  const session = await wire.enter(old)
  const done = await change.make(session, next)
  expect(done.status, done.text).toBe(200)
  const { path, to } = await change.undoLink()
  expect(to).toBe(old)
  testApp.clock.advance(1)
  return { old, next, path, userId: session.user.id, token: String(done.body.access_token) }
}

const isIn = async (token: string) => (await wire.user(token)).status === 200

test('the link gives the old address back at the press of its button, and ends every session', async () => {
  const { next, old, path, token, userId } = await changed()
  const page = await change.open(path)
  expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  expect(page.body).toContain('Give the account back its old address?')
  expect(await isIn(token)).toBe(true)
  const done = await change.undo(path)
  expect([done.statusCode, done.body]).toEqual([200, expect.stringContaining('has its old address again')])
  expect(await isIn(token)).toBe(false)
  const owner = await wire.enter(old)
  expect(owner.user).toMatchObject({ id: userId, email: old, identities: [{ email: old }] })
  expect(owner.user.identities[0]?.identity_data).toMatchObject({ email: old })
  const mails = await takeMails(testApp, ['address_restored'])
  expect(mails.map(({ to }) => to).toSorted()).toEqual([next, old].toSorted())
  expect(mails.every(({ text }) => !text.includes('/mail/address/'))).toBe(true)
})

test('a link undoes once, and there is no undoing of that', async () => {
  const { path } = await changed()
  await change.undo(path)
  for (const answer of [await change.open(path), await change.undo(path)]) {
    expect([answer.statusCode, answer.body]).toEqual([410, expect.stringContaining('was undone already')])
  }
  expect(await takeMails(testApp, ['address_changed'])).toEqual([])
})

test('of twenty presses at once one undoes', async () => {
  const { old, path, userId } = await changed()
  const answers = await Promise.all(Array.from({ length: 20 }, () => change.undo(path)))
  const counts = Map.groupBy(answers, ({ statusCode }) => statusCode)
  expect([counts.get(200)?.length, counts.get(410)?.length]).toEqual([1, 19])
  expect((await wire.enter(old)).user.id).toBe(userId)
})

test('the link works until the last millisecond of 72 hours and not after, when the address is somebody’s who comes', {
  tags: ['AUTH-34'],
}, async () => {
  testApp.clock.advance(1)
  const first = await changed()
  testApp.clock.set(new Date(TEST_NOW.getTime() + 1))
  const second = await changed()
  testApp.clock.set(new Date(TEST_NOW.getTime() + 72 * HOUR_MS))
  expect((await change.undo(first.path)).statusCode).toBe(200)
  testApp.clock.advance(1)
  const late = await change.undo(second.path)
  expect([late.statusCode, late.body]).toEqual([410, expect.stringContaining('has expired')])
  await runPurges(testApp)
  expect((await change.open(second.path)).statusCode).toBe(410)
  expect((await wire.enter(second.old)).user.id).not.toBe(second.userId)
})

test('a link cut in two, one of another kind, and one that we did not make lead nowhere', async () => {
  const { path } = await changed()
  for (const wrong of [path.slice(0, -1), `${path.slice(0, -1)}A`, '/mail/address/zzz']) {
    if (wrong === path) continue
    expect((await change.undo(wrong)).statusCode).toBe(404)
  }
  expect((await change.open(path.replace('/address/', '/second-step/'))).statusCode).toBe(404)
})

test('the oldest mailbox wins: its link undoes later changes too, and their links are out of date', async () => {
  const thief = newEmail()
  const first = await changed()
  const session = await wire.enter(first.next)
  await change.make(session, thief)
  const second = await change.undoLink()
  expect((await change.undo(first.path)).statusCode).toBe(200)
  expect((await wire.enter(first.old)).user.id).toBe(first.userId)
  const late = await change.undo(second.path)
  expect([late.statusCode, late.body]).toEqual([410, expect.stringContaining('out of date')])
  // What was overtaken keeps no address.
  expect((await wire.enter(first.next)).user.id).not.toBe(first.userId)
})

test('the newer link gives the address between, and the older one still works', async () => {
  const first = await changed()
  await change.make(await wire.enter(first.next), newEmail())
  const second = await change.undoLink()
  expect((await change.undo(second.path)).statusCode).toBe(200)
  expect((await wire.enter(first.next)).user.id).toBe(first.userId)
  expect((await change.undo(first.path)).statusCode).toBe(200)
  expect((await wire.enter(first.old)).user.id).toBe(first.userId)
})

test('a second factor that was turned on after the change goes with it', async () => {
  const { next, old, path, userId } = await changed()
  const thief = await wire.enter(next)
  await person.confirm(thief.access_token, await person.enrol(thief.access_token))
  expect((await change.undo(path)).statusCode).toBe(200)
  const owner = await wire.enter(old)
  expect([owner.user.id, owner.user.factors]).toEqual([userId, []])
})

test('a second factor that was removed after the change comes back', async () => {
  const old = newEmail()
  const { factor, session } = await person.join(old)
  const done = await change.make(session, newEmail(), session.access_token)
  const { path } = await change.undoLink()
  testApp.clock.advance(30_000)
  const removed = await person.remove(String(done.body.access_token), factor)
  expect(removed.status, removed.text).toBe(200)
  expect((await change.undo(path)).statusCode).toBe(200)
  expect((await wire.enter(old)).user.factors).toMatchObject([{ id: factor.id, status: 'verified' }])
})

test('nobody registers or takes the old address meanwhile, and its owner takes it back by an ordinary change', async () => {
  const { next, old, path, userId } = await changed()
  expect((await wire.otp(old)).status).toBe(200)
  const other = await wire.enter(newEmail())
  expect((await change.ask(other.access_token, old)).body.new_email).toBe(old)
  expect(await change.codes()).not.toHaveProperty(old)
  expect((await deliverSignInMails(testApp)).map(({ to }) => to)).not.toContain(old)
  const back = await change.make(await wire.enter(next), old)
  expect(back.body.user).toMatchObject({ id: userId, email: old })
  expect((await wire.enter(old)).user.id).toBe(userId)
  expect((await change.undo(path)).statusCode).toBe(200)
})
