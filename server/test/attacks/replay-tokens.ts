import assert from 'node:assert/strict'
import type { AuthSession } from '@tradepost/contract/auth'
import { endpoints } from '@tradepost/contract/endpoints'
import { buildTestApp, type TestApp } from '../build-test-app.ts'
import { authWire } from '../sign-in/auth-wire.ts'
import { bearer } from '../sign-in/sign-in.ts'
import type { Figures } from './guess-codes.ts'

const TABS = 8

/**
 * S5: refresh tokens of the past are presented again. A reuse that is neither a second tab nor a lost answer ends the whole
 * family, its newest member too; tabs that refresh at once stay in one line.
 */
export async function replayTokens(testApp: TestApp, rounds: number): Promise<Figures> {
  const wire = authWire(testApp)
  let killed = 0
  for (let round = 0; round < rounds; round++) {
    const line = [await wire.enter(`family-${round}@example.com`)]
    for (let child = 0; child < 2 + (round % 3); child++) line.push(await next(wire, line.at(-1)))
    const newest = line.at(-1)
    // The grandparent or older at once; or the parent, late, when its successor is in use.
    const late = round % 2 === 1
    if (late) {
      testApp.clock.advance(10_001)
      await wire.user(newest?.access_token ?? '')
    }
    const stolen = late ? line.at(-2) : line.at(-3 - (round % (line.length - 2)))
    const replayed = await wire.refresh(stolen?.refresh_token ?? '')
    assert.deepEqual([replayed.status, replayed.body.code], [400, 'refresh_token_already_used'])
    for (const { refresh_token, access_token } of line) {
      assert.equal((await wire.refresh(refresh_token)).status, 400)
      assert.equal((await wire.user(access_token)).body.code, 'session_not_found')
    }
    killed += 1
  }
  let benign = await wire.enter('tabs@example.com')
  for (let round = 0; round < rounds; round++) {
    const answers = await Promise.all(Array.from({ length: TABS }, () => wire.refresh(benign.refresh_token)))
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
    assert.equal(new Set(answers.map(({ body }) => body.refresh_token)).size, 1)
    benign = answers[round % TABS]?.body as unknown as AuthSession
    testApp.clock.advance(round % 2 ? 11_000 : 1000)
    await wire.user(benign.access_token)
  }
  return { 'families replayed': rounds, killed, 'rounds of eight tabs': rounds, 'signed out by mistake': 0 }
}

async function next(wire: ReturnType<typeof authWire>, session?: AuthSession): Promise<AuthSession> {
  const answer = await wire.refresh(session?.refresh_token ?? '')
  assert.equal(answer.status, 200)
  return answer.body as unknown as AuthSession
}

/** S7: sign-out and suspension hold for the product at once, in another process too. */
export async function endSessions(testApp: TestApp, rounds: number): Promise<Figures> {
  const { db, pipelined, pool, disk, dropIdle, url } = testApp
  await using other = await buildTestApp({
    settings: testApp.settings,
    database: { db, pipelined, pool, disk, dropIdle, url, close: async () => {} },
    now: testApp.clock.now(),
  })
  const wire = authWire(testApp)
  const ask = async (token: string) =>
    (await other.app.inject({ url: endpoints.configuration.path, headers: bearer(token) })).statusCode
  let slowest = 0
  for (let round = 0; round < rounds; round++) {
    const { access_token: token, user } = await wire.enter(`leaver-${round}@example.com`)
    assert.equal(await ask(token), 200)
    const started = performance.now()
    if (round % 2) {
      await db.updateTable('users').set({ suspended_at: new Date() }).where('id', '=', user.id).execute()
      assert.equal(await ask(token), 403)
    } else {
      await wire.signOut(token)
      assert.equal(await ask(token), 401)
    }
    slowest = Math.max(slowest, performance.now() - started)
  }
  assert.ok(slowest < 1000)
  return { rounds, 'slowest, ms': Math.round(slowest) }
}
