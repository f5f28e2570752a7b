import { expect, test } from 'vitest'
import { buildTestApp, TEST_NOW, testSettings } from '../../../test/build-test-app.ts'
import { openTestDatabase } from '../../../test/database/database.ts'
import { authWire } from '../../../test/sign-in/auth-wire.ts'
import { authenticatorCode } from '../../../test/sign-in/authenticator.ts'
import { deliverSignInMails } from '../../../test/sign-in/sign-in-mails.ts'
import { readAccessToken, signAccessToken } from './access-tokens.ts'
import { resealSecrets } from './reseal-secrets.ts'
import { rotateSigningKeys, tendSigningKeys } from './rotate-signing-keys.ts'
import { makeSecretKey } from './secret-key.ts'
import { makeSigningKeys } from './signing-keys.ts'

const { origin, authSecret } = testSettings()
const NEWER = 'the secret that came after the first one'
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const at = (milliseconds: number) => new Date(TEST_NOW.getTime() + milliseconds)
const content = {
  userId: crypto.randomUUID(),
  sessionId: crypto.randomUUID(),
  generation: 0,
  email: 'ada@example.com',
  aal: 'aal1',
  amr: [],
}

test('a new key is published before it signs, and the old one until its last token has gone', async () => {
  await using database = await openTestDatabase()
  const deps = { db: database.db, secret: makeSecretKey(authSecret) }
  const newProcess = () => ({ origin, signingKeys: makeSigningKeys(deps) })
  const process = newProcess()
  const old = await process.signingKeys.signing(TEST_NOW)
  const kids = async (now: Date) => (await newProcess().signingKeys.published(now)).map(({ kid }) => kid)

  expect(await rotateSigningKeys(deps, TEST_NOW)).toEqual({ signsFrom: at(20 * MINUTE_MS), isNew: true })
  // Asked again it does not pile up keys.
  expect(await rotateSigningKeys(deps, at(60_000))).toEqual({
    signsFrom: at(20 * MINUTE_MS),
    isNew: false,
  })
  expect(await kids(at(1))).toHaveLength(2)
  expect((await newProcess().signingKeys.signing(at(20 * MINUTE_MS - 1))).kid).toBe(old.kid)

  const change = at(20 * MINUTE_MS)
  const others = Array.from({ length: 4 }, newProcess)
  const signing = await Promise.all(others.map(async (each) => (await each.signingKeys.signing(change)).kid))
  expect(new Set(signing).size).toBe(1)
  expect(signing[0]).not.toBe(old.kid)

  // A process that has not noticed signs with the old key for up to five minutes; that token lives its hour.
  const unaware = await signAccessToken(process, content, at(20 * MINUTE_MS))
  const last = at(20 * MINUTE_MS + 3_599_000)
  expect(await readAccessToken(newProcess(), unaware, last)).toMatchObject({ userId: content.userId })
  await tendSigningKeys(deps, at(20 * MINUTE_MS + 90 * MINUTE_MS - 1))
  expect(await kids(last)).toHaveLength(2)
  await tendSigningKeys(deps, at(20 * MINUTE_MS + 90 * MINUTE_MS))
  expect(await kids(last)).toEqual([signing[0]])
  const retired = await database.db
    .selectFrom('signing_keys')
    .selectAll()
    .where('state', '=', 'retired')
    .execute()
  expect(retired.map(({ kid, private_sealed }) => [kid, private_sealed.length])).toEqual([[old.kid, 0]])
})

test('keys can be changed again while the tokens of an earlier one still count', async () => {
  await using database = await openTestDatabase()
  const deps = { db: database.db, secret: makeSecretKey(authSecret) }
  const keys = () => makeSigningKeys(deps)
  await keys().signing(TEST_NOW)
  await rotateSigningKeys(deps, TEST_NOW)
  await keys().signing(at(20 * MINUTE_MS))
  expect(await rotateSigningKeys(deps, at(30 * MINUTE_MS))).toMatchObject({ isNew: true })
  expect(await keys().published(at(30 * MINUTE_MS))).toHaveLength(3)
})

test('a key that has signed for thirty days gets a successor automatically, once', async () => {
  await using database = await openTestDatabase()
  const deps = { db: database.db, secret: makeSecretKey(authSecret) }
  const keys = () => makeSigningKeys(deps)
  const { kid } = await keys().signing(TEST_NOW)
  await tendSigningKeys(deps, at(30 * DAY_MS - 1))
  expect(await keys().published(at(30 * DAY_MS))).toHaveLength(1)
  await tendSigningKeys(deps, at(30 * DAY_MS))
  await tendSigningKeys(deps, at(30 * DAY_MS + 1))
  expect(await keys().published(at(30 * DAY_MS))).toHaveLength(2)
  expect((await keys().signing(at(30 * DAY_MS + 20 * MINUTE_MS))).kid).not.toBe(kid)
})

test('keys and secret change under a person who is signed in and notices nothing', async () => {
  await using before = await buildTestApp({ settings: { limitsOn: false } })
  const session = await authWire(before).enter('ada@example.com')
  const enrolled = await authWire(before).call('POST', '/factors', {
    token: session.access_token,
    body: { factor_type: 'totp' },
  })
  const { id, totp } = enrolled.body as { id: string; totp: { secret: string } }
  await authWire(before).otp('ada@example.com')
  const [mail] = await deliverSignInMails(before)
  const both = makeSecretKey(`${NEWER}, ${authSecret}`)
  await rotateSigningKeys({ db: before.db, secret: both }, TEST_NOW)

  await using after = await buildTestApp({
    settings: { limitsOn: false, authSecret: `${NEWER}, ${authSecret}` },
    database: before,
  })
  const wire = authWire(after)
  expect((await wire.user(session.access_token)).status).toBe(200)
  expect(await resealSecrets(before.db, both)).toEqual({ resealed: 2, unopened: 0 })
  expect(await resealSecrets(before.db, both)).toEqual({ resealed: 0, unopened: 0 })
  const refreshed = await wire.refresh(session.refresh_token)
  expect(refreshed.status).toBe(200)
  const token = String(refreshed.body.access_token)
  const challenge = await wire.call('POST', `/factors/${id}/challenge`, { token })
  const code = authenticatorCode(totp.secret, TEST_NOW)
  const body = { challenge_id: challenge.body.id, code }
  expect((await wire.call('POST', `/factors/${id}/verify`, { token, body })).status).toBe(200)
  expect((await wire.verify('ada@example.com', mail?.code ?? '')).status).toBe(200)

  // The old secret is taken out: what it made is worth nothing, what was made or sealed again stays.
  await using later = await buildTestApp({
    settings: { limitsOn: false, authSecret: NEWER },
    database: before,
  })
  const alone = await authWire(later).enter('grace@example.com')
  expect((await authWire(later).user(alone.access_token)).status).toBe(200)
  expect((await authWire(later).refresh(session.refresh_token)).body.code).toBe('refresh_token_not_found')
  expect(await after.db.selectFrom('signing_keys').selectAll().execute()).toHaveLength(2)
})
