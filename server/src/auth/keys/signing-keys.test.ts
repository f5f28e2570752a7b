import { expect, test } from 'vitest'
import { TEST_NOW, testSettings } from '../../../test/build-test-app.ts'
import { openTestDatabase } from '../../../test/database/database.ts'
import { readAccessToken, signAccessToken } from './access-tokens.ts'
import { makeSecretKey } from './secret-key.ts'
import { makeSigningKeys } from './signing-keys.ts'

const { origin, authSecret } = testSettings()
const content = {
  userId: crypto.randomUUID(),
  sessionId: crypto.randomUUID(),
  generation: 0,
  email: 'ada@example.com',
  aal: 'aal1',
  amr: [],
}

test('processes that start at once agree on one signing key', async () => {
  await using database = await openTestDatabase()
  const secret = makeSecretKey(authSecret)
  const processes = Array.from({ length: 6 }, () => makeSigningKeys({ db: database.db, secret }))
  const kids = await Promise.all(processes.map(async (keys) => (await keys.signing(TEST_NOW)).kid))
  expect(new Set(kids).size).toBe(1)
  expect(await database.db.selectFrom('signing_keys').selectAll().execute()).toHaveLength(1)
})

test('the private key is sealed, and nothing of it is published', async () => {
  await using database = await openTestDatabase()
  const keys = makeSigningKeys({ db: database.db, secret: makeSecretKey(authSecret) })
  const [published] = await keys.published(TEST_NOW)
  expect(Object.keys(published ?? {}).sort()).toEqual([
    'alg',
    'crv',
    'key_ops',
    'kid',
    'kty',
    'use',
    'x',
    'y',
  ])
  const row = await database.db.selectFrom('signing_keys').selectAll().executeTakeFirstOrThrow()
  expect(row.private_sealed.toString('latin1')).not.toContain('"kty"')
  expect(row.public_jwk).not.toHaveProperty('d')
})

test('another secret takes over with its own key, and older tokens stay good', async () => {
  await using database = await openTestDatabase()
  const before = {
    origin,
    signingKeys: makeSigningKeys({ db: database.db, secret: makeSecretKey(authSecret) }),
  }
  const old = await signAccessToken(before, content, TEST_NOW)
  const other = makeSecretKey('the secret that came after the first one')
  const after = { origin, signingKeys: makeSigningKeys({ db: database.db, secret: other }) }
  const fresh = await signAccessToken(after, content, TEST_NOW)
  expect(await readAccessToken(after, old, TEST_NOW)).toMatchObject({ userId: content.userId })
  expect(await readAccessToken(after, fresh, TEST_NOW)).toMatchObject({ userId: content.userId })
  expect(await after.signingKeys.published(TEST_NOW)).toHaveLength(2)
  // A process that read the keys before sees the new one once it may look again.
  const later = new Date(TEST_NOW.getTime() + 10_000)
  expect(await readAccessToken(before, fresh, TEST_NOW)).toBeNull()
  expect(await readAccessToken(before, fresh, later)).toMatchObject({ userId: content.userId })
})

test('a token that was read before is refused once its key is no longer published, or it has expired', async () => {
  await using database = await openTestDatabase()
  const signingKeys = makeSigningKeys({ db: database.db, secret: makeSecretKey(authSecret) })
  const deps = { origin, signingKeys }
  const token = await signAccessToken(deps, content, TEST_NOW)
  const at = (milliseconds: number) => new Date(TEST_NOW.getTime() + milliseconds)
  for (const look of [3_599_998, 3_599_999]) {
    expect(await readAccessToken(deps, token, at(look))).toMatchObject({ userId: content.userId })
  }
  expect(
    await readAccessToken({ ...deps, origin: 'https://elsewhere.example' }, token, at(3_599_999)),
  ).toBeNull()
  expect(await readAccessToken(deps, token, at(3_600_000))).toBeNull()

  await database.db
    .updateTable('signing_keys')
    .set({ state: 'retired', private_sealed: Buffer.alloc(0) })
    .execute()
  // Processes read the keys again after five minutes.
  expect(await readAccessToken(deps, token, at(3_299_998))).toBeNull()
})
