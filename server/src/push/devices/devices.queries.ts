import { type Insertable, type Selectable, sql } from 'kysely'
import { foldedName } from '../../accounts/folded-name.ts'
import { compiledQuery, type Queryable } from '../../platform/database/queryable.ts'
import type { PushDevices } from '../../platform/database/schema.ts'

export type DeviceRow = Selectable<PushDevices>

/** First half of the lock under which an address is given to a device. */
const ENDPOINT_LOCK_CLASS = 7_241

/** Keeps everybody else from giving this address to a device until the transaction ends. */
export async function lockEndpoint(tx: Queryable, endpoint: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${ENDPOINT_LOCK_CLASS}, hashtext(${endpoint}))`.execute(tx)
}

/**
 * Keeps a session from ending, and its person from being suspended, until the transaction ends; the devices of one person are
 * counted one after the other.
 * @returns false when either has happened
 */
export async function lockLiving(tx: Queryable, of: { userId: string; sessionId: string }): Promise<boolean> {
  const person = await tx
    .selectFrom('users')
    .select('id')
    .where('id', '=', of.userId)
    .where('inactive_since', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()
  const session = await tx
    .selectFrom('sessions')
    .select('id')
    .where('id', '=', of.sessionId)
    .where('user_id', '=', of.userId)
    .where('revoked_at', 'is', null)
    .forShare()
    .executeTakeFirst()
  return person !== undefined && session !== undefined
}

export async function findDeviceAt(tx: Queryable, endpoint: string): Promise<DeviceRow | null> {
  const row = await tx
    .selectFrom('push_devices')
    .selectAll()
    .where('endpoint', '=', endpoint)
    .executeTakeFirst()
  return row ?? null
}

/** Deletes the device that has this address, whichever person it belongs to, and the earlier device of this session. */
export async function clearWay(tx: Queryable, of: { endpoint: string; sessionId: string }): Promise<void> {
  await tx
    .deleteFrom('push_devices')
    .where((eb) => eb.or([eb('endpoint', '=', of.endpoint), eb('session_id', '=', of.sessionId)]))
    .execute()
}

export async function countDevices(tx: Queryable, userId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('push_devices')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function insertDevice(tx: Queryable, device: Insertable<PushDevices>): Promise<void> {
  await tx.insertInto('push_devices').values(device).execute()
}

type Address = { endpoint: string; p256dh: Buffer; authSecret: Buffer; pushKeyId: string }

/** A device whose browser made another subscription, or the same one again. */
export async function updateAddress(tx: Queryable, id: string, address: Address): Promise<void> {
  await tx
    .updateTable('push_devices')
    .set({
      endpoint: address.endpoint,
      p256dh: address.p256dh,
      auth_secret: address.authSecret,
      push_key_id: address.pushKeyId,
      failing_since: null,
      standing: 1,
    })
    .where('id', '=', id)
    .execute()
}

/** Gives a device a token under the newest secret. */
export async function updateToken(
  tx: Queryable,
  id: string,
  token: { hash: Buffer; secretKeyId: string },
): Promise<void> {
  await tx
    .updateTable('push_devices')
    .set({ token_hash: token.hash, token_secret_key_id: token.secretKeyId })
    .where('id', '=', id)
    .execute()
}

export async function findDeviceByToken(db: Queryable, hash: Buffer): Promise<DeviceRow | null> {
  const row = await db
    .selectFrom('push_devices')
    .selectAll()
    .where('token_hash', '=', hash)
    .executeTakeFirst()
  return row ?? null
}

/** Takes an address from every device but one. */
export async function takeEndpoint(tx: Queryable, endpoint: string, to: string): Promise<void> {
  await tx.deleteFrom('push_devices').where('endpoint', '=', endpoint).where('id', '<>', to).execute()
}

export async function deleteDevice(db: Queryable, id: string, userId: string): Promise<void> {
  await db.deleteFrom('push_devices').where('id', '=', id).where('user_id', '=', userId).execute()
}

export async function deleteDeviceByToken(db: Queryable, hash: Buffer): Promise<void> {
  await db.deleteFrom('push_devices').where('token_hash', '=', hash).execute()
}

/** The devices of a person, the newest first. */
export const listDevices = compiledQuery((db, { userId }: { userId: string }) =>
  db
    .selectFrom('push_devices')
    .select(['id', 'session_id', 'user_agent', 'created_at', 'failing_since'])
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc'),
)

/** The traders whom somebody follows now, by name, and whether their positions are pushed. */
export const listPushedTraders = compiledQuery(
  (_db, { userId }: { userId: string }) => sql<{ id: string; username: string; mutedAt: Date | null }>`
    select followed.id, account.username, followed.push_muted_at as "mutedAt"
    from subscriptions followed join accounts account on account.user_id = followed.trader_id
    where followed.subscriber_id = ${userId} and account.username is not null
      and followed.entitled_from_event is not null and followed.entitled_until_event is null
    order by ${foldedName('account.username')}`,
)

/** Turns the notifications about a trader off, or on. @returns false when the person has no such subscription */
export async function switchPush(
  db: Queryable,
  of: { subscriberId: string; id: string; enabled: boolean },
  now: Date,
): Promise<boolean> {
  const result = await db
    .updateTable('subscriptions')
    .set((eb) => ({ push_muted_at: of.enabled ? null : eb.fn.coalesce('push_muted_at', eb.val(now)) }))
    .where('subscriber_id', '=', of.subscriberId)
    .where('id', '=', of.id)
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}
