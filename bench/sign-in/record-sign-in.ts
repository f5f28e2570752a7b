import type { AuthSession } from '@tradepost/contract/auth'
import { auditedEmail } from '../../server/src/auth/audit/audit.ts'
import { makeSecretKey, secretKeyName } from '../../server/src/auth/keys/secret-key.ts'
import { buildTestApp } from '../../server/test/build-test-app.ts'
import type { TestDatabase } from '../../server/test/database/database.ts'
import { authWire } from '../../server/test/sign-in/auth-wire.ts'
import { bearer } from '../../server/test/sign-in/sign-in.ts'
import { deliverSignInMails } from '../../server/test/sign-in/sign-in-mails.ts'
import { listenIn, makeReplay, type Replay } from './recorded-statements.ts'

/** The statements that the product sends to the database when somebody who has an account signs in and reads the account. */
export type RecordedSignIn = {
  requestCode: Replay
  takeTry: Replay
  openSession: Replay
  checkSession: Replay
  /** From the recorded answers; the bare server repeats them. */
  session: AuthSession
  claims: Record<string, unknown>
  account: Record<string, unknown>
  secretKeyId: string
}

const EMAIL = 'recorded@bench.example'

/** Signs somebody in through the real app and records the statements, which the bare server then repeats. */
export async function recordSignIn(database: TestDatabase): Promise<RecordedSignIn> {
  const recordedAt = new Date()
  await using testApp = await buildTestApp({
    // All statements go over the pool, where they are recorded.
    database: { ...database, pipelined: database.db },
    now: recordedAt,
    settings: { limitsOn: false },
  })
  const wire = authWire(testApp)
  const secret = makeSecretKey(testApp.settings.authSecret)
  const look = async (token: string) =>
    (
      await testApp.app.inject({ url: '/v1/accounts/configuration', headers: bearer(token) })
    ).json() as Record<string, unknown>
  await look((await wire.enter(EMAIL)).access_token)

  const requested = await listenIn(database.pool, () => wire.otp(EMAIL))
  const mail = (await deliverSignInMails(testApp)).find(({ to }) => to === EMAIL)
  const challenge = await database.db
    .selectFrom('otp_challenges')
    .selectAll()
    .where('email', '=', EMAIL)
    .where('consumed_at', 'is', null)
    .executeTakeFirstOrThrow()
  let session: AuthSession | undefined
  const verified = await listenIn(database.pool, async () => {
    session = (await wire.verify(EMAIL, mail?.code ?? '')).body as unknown as AuthSession
  })
  if (!session?.access_token) throw new Error('the recorded sign-in failed')
  const claims = readClaims(session.access_token)
  const { access_token: token, user } = session
  let account: Record<string, unknown> = {}
  const checked = await listenIn(database.pool, async () => {
    account = await look(token)
  })
  const names = {
    email: EMAIL,
    emailHmac: auditedEmail(secret, EMAIL),
    challengeId: challenge.id,
    codeHmac: challenge.code_hmac,
    userId: user.id,
    sessionId: claims.session_id,
  }
  const replay = (statements: typeof requested) => makeReplay(statements, names, recordedAt)
  return {
    requestCode: replay(requested),
    takeTry: replay(verified.slice(0, 1)),
    openSession: replay(verified.slice(1)),
    checkSession: replay(checked),
    session,
    claims,
    account,
    secretKeyId: secretKeyName(secret),
  }
}

function readClaims(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
}
