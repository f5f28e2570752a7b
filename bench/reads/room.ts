import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { signAccessToken } from '../../server/src/auth/keys/access-tokens.ts'
import { makeAuthDeps } from '../../server/src/auth/keys/auth-deps.ts'
import { startEmbeddedPostgres } from '../../server/src/dev/embedded-postgres.ts'
import { systemClock } from '../../server/src/platform/clock.ts'
import { connectDatabase, type Database } from '../../server/src/platform/database/database.ts'
import { DatabaseClient } from '../../server/src/platform/database/database-client.ts'
import { makeLog } from '../../server/src/platform/log.ts'
import { migrate } from '../../server/src/platform/upgrade/migrate.ts'
import { testSettings } from '../../server/test/build-test-app.ts'
import { MAIN, type ServerProcess, startServer } from '../server-process.ts'
import { FOLLOWERS, fillFollowers, followerId, followerSessionId } from './followers.ts'
import { fillWorld, PEOPLE, personId, sessionId } from './world.ts'

const COMPILED = join(import.meta.dirname, '../../.cache/compiled')

/** The reads that are measured, as the nth person asks for them. */
export const READS: Record<string, (nth: number) => string> = {
  positions: () => '/v1/positions',
  leaderboard: () => '/v1/leaderboard',
  profile: (nth) => `/v1/accounts/profile?username=trader${nth + 1}`,
  search: (nth) => `/v1/accounts/search?username=trader${nth + 1}`,
  account: () => '/v1/accounts/configuration',
  curve: (nth) => `/v1/traders/trader${nth + 1}/track-record`,
  proven: () => '/v1/leaderboard/proven',
  closed: (nth) => `/v1/traders/trader${nth + 1}/positions/closed`,
  marks: () => '/v1/marks',
}
/** The reads that followers ask for. */
export const FOLLOWERS_READS: typeof READS = {
  unread: () => '/v1/activity/unread',
  activity: () => '/v1/activity',
  subscriptions: () => '/v1/subscriptions',
}

export type Room = {
  database: Database
  url: string
  folder: string
  tokens: string[]
  followersTokens: string[]
  stop(): Promise<void>
}

/** A database with that many positions, and people who are signed in. */
export async function makeRoom(positions: number): Promise<Room> {
  const folder = mkdtempSync(join(tmpdir(), 'tradepost-bench-'))
  const log = makeLog('silent', false)
  const postgres = await startEmbeddedPostgres({ dataDir: folder, log })
  await migrate(postgres.url, log)
  const database = connectDatabase({ url: postgres.url, size: 4, log })
  const client = new DatabaseClient({ connectionString: postgres.url })
  await client.connect()
  const ask = (sql: string, values?: unknown[]) => client.query(sql, values)
  await fillWorld(ask, positions)
  await fillFollowers(ask)
  await client.end()
  const auth = makeAuthDeps({ ...database, clock: systemClock, settings: testSettings() })
  const sign = (who: { userId: string; sessionId: string; email: string }) =>
    signAccessToken(auth, { ...who, generation: 0, aal: 'aal1', amr: [] }, new Date())
  const tokens: string[] = []
  for (let nth = 1; nth <= PEOPLE; nth += 1)
    tokens.push(
      await sign({ userId: personId(nth), sessionId: sessionId(nth), email: `p${nth}@example.com` }),
    )
  const followersTokens: string[] = []
  for (let nth = 1; nth <= FOLLOWERS; nth += 1)
    followersTokens.push(
      await sign({
        userId: followerId(nth),
        sessionId: followerSessionId(nth),
        email: `f${nth}@example.com`,
      }),
    )
  const stop = async () => {
    await database.close()
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  return { database, url: postgres.url, folder, tokens, followersTokens, stop }
}

/**
 * An api as docs/operations.md has it.
 * @param more.flags of Node, beside those
 * @param more.env beside and in the place of its own
 * @param more.main of another copy of the product
 */
export function startOurs(
  url: string,
  more: { flags?: string[]; env?: Record<string, string>; main?: string } = {},
): Promise<ServerProcess> {
  const flags = ['--max-semi-space-size=4', ...(more.flags ?? [])]
  return startServer([...flags, more.main ?? MAIN, 'api'], 'Tradepost', {
    NODE_COMPILE_CACHE: COMPILED,
    DATABASE_URL: url,
    APP_URL: testSettings().origin,
    AUTH_SECRET: testSettings().authSecret,
    SMTP_URL: 'smtp://127.0.0.1:9',
    QUOTES_API_BASE: 'http://127.0.0.1:9',
    QUOTES_API_KEY: 'unused',
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'error',
    ...more.env,
  })
}
