import { createHash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { makeSecretKey } from '../../src/auth/keys/secret-key.ts'
import type { Queryable } from '../../src/platform/database/queryable.ts'
import { newId } from '../../src/platform/ids.ts'
import { makePushKeys } from '../../src/push/devices/push-keys.ts'
import type { Crowd } from '../followers.ts'
import type { PushService } from './push-service.ts'

/** That of `startWorkerProcess`. */
const SECRET = 'a secret of the tests and of nobody else'

/**
 * A device for each follower of a crowd, straight into the tables, as if everybody had turned notifications on.
 * @returns the browsers
 */
export async function addDevices(
  database: { db: Queryable; pool: pg.Pool },
  crowd: Crowd,
  service: Pick<PushService, 'subscribe'>,
  now: Date,
): Promise<string[]> {
  const key = await makePushKeys({ db: database.db, secret: makeSecretKey(SECRET) }).given(now)
  const { rows } = await database.pool.query<{ id: string }>(
    'select subscriber_id as id from subscriptions where trader_id = $1',
    [crowd.traderId],
  )
  const devices = rows.map(({ id }) => ({
    person: id,
    session: newId(),
    ...service.subscribe(key.publicKey),
  }))
  const bytes = (text: string) => Buffer.from(text, 'base64url')
  await database.pool.query(
    `with opened as (
       insert into sessions (id, user_id, aal, amr, created_at, refreshed_at)
       select session, person, 'aal1', '[]', $1, $1 from unnest($2::uuid[], $3::uuid[]) as made (session, person)
     )
     insert into push_devices (id, user_id, session_id, push_key_id, endpoint, p256dh, auth_secret, token_hash,
       token_secret_key_id, created_at)
     select made.id, person, session, $4, endpoint, p256dh, auth, token, 'none', $1
     from unnest($5::uuid[], $2::uuid[], $3::uuid[], $6::text[], $7::bytea[], $8::bytea[], $9::bytea[])
       as made (id, session, person, endpoint, p256dh, auth, token)`,
    [
      now,
      devices.map(({ session }) => session),
      devices.map(({ person }) => person),
      key.id,
      devices.map(() => newId()),
      devices.map(({ subscription }) => subscription.endpoint),
      devices.map(({ subscription }) => bytes(subscription.keys.p256dh)),
      devices.map(({ subscription }) => bytes(subscription.keys.auth)),
      devices.map(() => createHash('sha256').update(randomBytes(16)).digest()),
    ],
  )
  return devices.map(({ id }) => id)
}

/** The messages that were seen: one replaces another of its tag. @property repeats messages beyond the first of each */
export function countSeen(service: PushService): { seen: Set<string>; repeats: number; mostOfOne: number } {
  const copies = new Map<string, number>()
  for (const { browser, message } of service.taken) {
    const name = `${browser} ${message.tag}`
    copies.set(name, (copies.get(name) ?? 0) + 1)
  }
  return {
    seen: new Set(copies.keys()),
    repeats: service.taken.length - copies.size,
    mostOfOne: Math.max(0, ...copies.values()),
  }
}
