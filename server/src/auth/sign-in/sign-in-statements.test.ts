import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { buildTestApp, type TestApp } from '../../../test/build-test-app.ts'
import { statementsOf } from '../../../test/database/query-log.ts'
import { authWire } from '../../../test/sign-in/auth-wire.ts'
import { deliverSignInMails } from '../../../test/sign-in/sign-in-mails.ts'
import { withTransaction } from '../../platform/database/queryable.ts'
import { signAccessToken } from '../keys/access-tokens.ts'
import { makeAuthDeps } from '../keys/auth-deps.ts'
import { takeTry } from './challenges.queries.ts'
import { requestCode } from './request-code.ts'

/** By a word that each statement alone has. */
const WORDS = [
  'rate_limits',
  'request_code',
  'pg_logical_emit_message',
  'with counted',
  'locked as',
  'mfa_factors',
  'sign_in_addresses',
]

function named(statements: string[]): string[] {
  return statements.map((text) => WORDS.find((word) => text.includes(word)) ?? text)
}

async function waitsForDisk(db: TestApp['db']): Promise<string | undefined> {
  const { rows } = await sql<{
    waits: string
  }>`select current_setting('synchronous_commit') as waits`.execute(db)
  return rows[0]?.waits
}

test('a sign-in is six statements, none of them in a transaction of several', async () => {
  await using testApp = await buildTestApp()
  const wire = authWire(testApp)
  await wire.enter('ada@example.com')
  testApp.clock.advance(120_000)
  expect(named(await statementsOf(testApp, () => wire.otp('ada@example.com')))).toEqual([
    'rate_limits',
    'request_code',
    'pg_logical_emit_message',
  ])
  const mail = (await deliverSignInMails(testApp)).find(({ to }) => to === 'ada@example.com')
  let token = ''
  const verified = await statementsOf(testApp, async () => {
    token = String((await wire.verify('ada@example.com', mail?.code ?? '')).body.access_token)
  })
  expect(named(verified)).toEqual(['rate_limits', 'with counted', 'locked as'])
  // The caller is looked up over the connection that all requests share.
  expect(named(await statementsOf(testApp, () => wire.user(token)))).toEqual(['mfa_factors'])
})

test('a link signs in with two statements', async () => {
  await using testApp = await buildTestApp()
  const wire = authWire(testApp)
  await wire.enter('ada@example.com')
  testApp.clock.advance(120_000)
  const { tokenHash } = await wire.mailTo('ada@example.com')
  expect(named(await statementsOf(testApp, () => wire.verifyLink(tokenHash)))).toEqual([
    'rate_limits',
    'locked as',
  ])
})

test('mails that end together are prepared and noted with as many statements as two', async () => {
  await using testApp = await buildTestApp({ settings: { limitsOn: false } })
  const wire = authWire(testApp)
  async function notesOf(people: number): Promise<string[]> {
    for (let person = 0; person < people; person += 1) await wire.otp(`person-${person}@example.com`)
    const statements = await statementsOf(testApp, () => deliverSignInMails(testApp))
    return statements.filter((text) => !text.includes('lease_owner'))
  }
  const ofTwo = await notesOf(2)
  // Challenges are found, codes are stored, and the outcome is noted: of the first, and of those that end meanwhile.
  expect(ofTwo).toHaveLength(4)
  expect(await notesOf(12)).toEqual(ofTwo)
})

test('requests for one address at once are all answered, and the last is the live one', async () => {
  await using testApp = await buildTestApp({ settings: { limitsOn: false } })
  const wire = authWire(testApp)
  const answers = await Promise.all(Array.from({ length: 12 }, () => wire.otp('ada@example.com')))
  expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200))
  const challenges = await testApp.db.selectFrom('otp_challenges').select('consumed_at').execute()
  expect(challenges).toHaveLength(12)
  expect(challenges.filter(({ consumed_at }) => consumed_at === null)).toHaveLength(1)
})

test('neither a request nor a try holds its locks until the disk has it', async () => {
  await using testApp = await buildTestApp()
  const wire = authWire(testApp)
  const { db } = testApp
  await wire.mailTo('ada@example.com')
  const now = testApp.clock.now()
  const code = { email: 'ada@example.com', purpose: 'sign_in', asker: 'anybody' } as const
  const afterTry = await withTransaction(db, async (tx) => {
    expect(await takeTry(tx, code, now)).toMatchObject({ email: 'ada@example.com' })
    return waitsForDisk(tx)
  })
  const afterRequest = await withTransaction(db, async (tx) => {
    const request = {
      ...code,
      email: 'grace@example.com',
      purpose: 'sign_in' as const,
      createUser: true,
      codeChallenge: null,
      client: { ip: '192.0.2.1', userAgent: null },
    }
    await requestCode({ ...makeAuthDeps(testApp), db: tx }, request, now)
    return waitsForDisk(tx)
  })
  expect([afterTry, afterRequest]).toEqual(['off', 'off'])
})

test('a token that this process has signed need not be checked by it', async () => {
  await using testApp = await buildTestApp()
  const deps = makeAuthDeps(testApp)
  const now = testApp.clock.now()
  const { kid } = await deps.signingKeys.signing(now)
  await signAccessToken(
    deps,
    {
      userId: crypto.randomUUID(),
      sessionId: crypto.randomUUID(),
      generation: 0,
      email: 'ada@example.com',
      aal: 'aal1',
      amr: [],
    },
    now,
  )
  expect((await deps.signingKeys.publicKey(kid, now))?.verified.size).toBe(1)
})
