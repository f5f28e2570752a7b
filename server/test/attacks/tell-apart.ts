import assert from 'node:assert/strict'
import type { TestApp } from '../build-test-app.ts'
import { statementsOf } from '../database/query-log.ts'
import { authWire, type WireAnswer } from '../sign-in/auth-wire.ts'
import { signIn } from '../sign-in/sign-in.ts'
import { deliverSignInMails } from '../sign-in/sign-in-mails.ts'
import type { Figures } from './guess-codes.ts'

type Seen = { content: object; statements: string[]; ms: number }

/**
 * S3: known and unknown addresses side by side at every call that takes one: bytes, status, headers and statements are
 * the same; times are reported (Mann-Whitney's z: beyond 3 they could be distinguished).
 */
export async function distinguish(testApp: TestApp, pairs: number): Promise<Figures> {
  const wire = authWire(testApp)
  const calls: Record<string, (email: string) => Promise<WireAnswer>> = {
    otp: (email) => wire.otp(email),
    'otp, no new user': (email) => wire.otp(email, { create_user: false }),
    recover: (email) => wire.call('POST', '/recover', { body: { email } }),
    resend: (email) => wire.call('POST', '/resend', { body: { email, type: 'signup' } }),
    verify: (email) => wire.verify(email, '123456'),
    'otp, no new user, then three wrong codes': async (email) => {
      await wire.otp(email, { create_user: false })
      return tryThreeCodes(email, 'email')
    },
    'recover, then three wrong codes': async (email) => {
      await wire.call('POST', '/recover', { body: { email } })
      return tryThreeCodes(email, 'recovery')
    },
  }
  /** Once the mail has gone, or not: as somebody does who waits a moment. */
  const tryThreeCodes = async (email: string, type: string) => {
    await deliverSignInMails(testApp)
    for (const token of ['000001', '000002'])
      await wire.call('POST', '/verify', { body: { email, token, type } })
    return wire.call('POST', '/verify', { body: { email, token: '000003', type } })
  }
  const figures: Figures = {}
  for (const [at, [name, call]] of Object.entries(calls).entries()) {
    const times: [known: number[], unknown: number[]] = [[], []]
    // Mails of earlier calls are sent first, so that no measured call waits for them.
    await deliverSignInMails(testApp)
    for (let pair = 0; pair < pairs; pair++) {
      const known = `known-${pair}@${at}.example.com`
      const unknown = `other-${pair}@${at}.example.com`
      await signIn(testApp, { email: known })
      // They take turns at being first, so that warm caches favour neither.
      const order = pair % 2 ? [known, unknown] : [unknown, known]
      const seen = new Map<string, Seen>()
      for (const email of order) seen.set(email, await observe(testApp, () => call(email)))
      const [a, b] = [seen.get(known), seen.get(unknown)]
      assert.ok(a && b && a.statements.length > 0)
      assert.deepEqual(b.content, a.content, name)
      assert.deepEqual(b.statements, a.statements, name)
      times[0].push(a.ms)
      times[1].push(b.ms)
    }
    figures[`${name}: pairs, z of times`] = `${pairs}, ${mannWhitney(...times).toFixed(2)}`
  }
  return figures
}

async function observe(testApp: TestApp, ask: () => Promise<WireAnswer>): Promise<Seen> {
  let answer: WireAnswer | undefined
  const started = performance.now()
  const statements = await statementsOf(testApp, async () => {
    answer = await ask()
  })
  const ms = performance.now() - started
  const {
    date: _date,
    // Drawn for each request.
    'x-request-id': _requestId,
    'x-ratelimit-remaining': _left,
    'content-length': length,
    ...headers
  } = answer?.headers ?? {}
  return { content: { status: answer?.status, text: answer?.text, length, headers }, statements, ms }
}

/** @returns z of the rank sum, by its normal approximation */
function mannWhitney(a: number[], b: number[]): number {
  const ranked = [...a.map((ms) => ({ ms, of: 0 })), ...b.map((ms) => ({ ms, of: 1 }))].sort(
    (x, y) => x.ms - y.ms,
  )
  const rankSum = ranked.reduce((sum, { of }, index) => sum + (of === 0 ? index + 1 : 0), 0)
  const u = rankSum - (a.length * (a.length + 1)) / 2
  const deviation = Math.sqrt((a.length * b.length * (a.length + b.length + 1)) / 12)
  return (u - (a.length * b.length) / 2) / deviation
}
