import { signAccessToken } from '../../server/src/auth/keys/access-tokens.ts'
import { makeAuthDeps } from '../../server/src/auth/keys/auth-deps.ts'
import { systemClock } from '../../server/src/platform/clock.ts'
import type { Database } from '../../server/src/platform/database/database.ts'
import { testSettings } from '../../server/test/build-test-app.ts'
import { addFollowers, makeCrowdTrader } from '../../server/test/followers.ts'

export type Viewer = { userId: string; email: string; token: string }
export type World = { trader: Viewer & { username: string }; followers: Viewer[] }

/** A trader and followers, each signed in. */
export async function fillWorld(database: Database, count: number): Promise<World> {
  const now = new Date()
  const crowd = await makeCrowdTrader(database.pool, 'maria', now)
  await addFollowers(database.pool, crowd, count, now)
  const viewers = await signEverybodyIn(database)
  const trader = viewers.get(crowd.traderId)
  if (!trader) throw new Error('no trader')
  viewers.delete(crowd.traderId)
  return { trader: { ...trader, username: crowd.username }, followers: [...viewers.values()] }
}

/** Gives everybody a session, and a token that is good for an hour. @returns them by their ids */
export async function signEverybodyIn(database: Database): Promise<Map<string, Viewer>> {
  await database.pool.query(
    `insert into sessions (id, user_id, aal, amr, successor_seen, created_at, refreshed_at, seen_at)
    select gen_random_uuid(), id, 'aal1', '[{"method":"otp","timestamp":1}]', true, now(), now(), now() from users`,
  )
  const { rows } = await database.pool.query<{ userId: string; sessionId: string; email: string }>(
    'select user_id as "userId", sessions.id as "sessionId", email from sessions join users on users.id = user_id',
  )
  const auth = makeAuthDeps({ ...database, clock: systemClock, settings: testSettings() })
  const now = new Date()
  const viewers = new Map<string, Viewer>()
  for (const who of rows) {
    const token = await signAccessToken(auth, { ...who, generation: 0, aal: 'aal1', amr: [] }, now)
    viewers.set(who.userId, { ...who, token })
  }
  return viewers
}
