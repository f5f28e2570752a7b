import type { UpdateResult } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'

export type StoredBox = {
  purpose: 'signing-keys' | 'factor-secrets' | 'push-keys' | 'record-log'
  id: string
  sealed: Buffer
  secretKeyId: string
}

/** Every box that is sealed under another secret than the one of that name. */
export async function findForeignBoxes(db: Queryable, secretKeyId: string): Promise<StoredBox[]> {
  const keys = await db
    .selectFrom('signing_keys')
    .select(['kid as id', 'private_sealed as sealed', 'secret_key_id as secretKeyId'])
    .where('state', '<>', 'retired')
    .where('secret_key_id', '<>', secretKeyId)
    .execute()
  const factors = await db
    .selectFrom('mfa_factors')
    .select(['id', 'secret_sealed as sealed', 'secret_key_id as secretKeyId'])
    .where('secret_key_id', '<>', secretKeyId)
    .$narrowType<{ sealed: Buffer; secretKeyId: string }>()
    .execute()
  const pushKeys = await db
    .selectFrom('push_keys')
    .select(['id', 'private_sealed as sealed', 'secret_key_id as secretKeyId'])
    .where('secret_key_id', '<>', secretKeyId)
    .execute()
  const recordKeys = await db
    .selectFrom('record_keys')
    .select(['vkey as id', 'private_sealed as sealed', 'secret_key_id as secretKeyId'])
    .where('secret_key_id', '<>', secretKeyId)
    .$narrowType<{ sealed: Buffer; secretKeyId: string }>()
    .execute()
  return [
    ...recordKeys.map((key) => ({ ...key, purpose: 'record-log' as const })),
    ...pushKeys.map((key) => ({ ...key, purpose: 'push-keys' as const })),
    ...keys.map((key) => ({ ...key, purpose: 'signing-keys' as const })),
    ...factors.map((factor) => ({ ...factor, purpose: 'factor-secrets' as const })),
  ]
}

/** @returns whether the box was still the one that was read */
export async function replaceBox(
  db: Queryable,
  read: Omit<StoredBox, 'sealed'>,
  box: { sealed: Buffer; secretKeyId: string },
): Promise<boolean> {
  const { numUpdatedRows } = await updateBox(db, read, box)
  return numUpdatedRows > 0n
}

function updateBox(
  db: Queryable,
  read: Omit<StoredBox, 'sealed'>,
  { sealed, secretKeyId }: { sealed: Buffer; secretKeyId: string },
): Promise<UpdateResult> {
  const key = { private_sealed: sealed, secret_key_id: secretKeyId }
  switch (read.purpose) {
    case 'signing-keys':
      return db
        .updateTable('signing_keys')
        .set(key)
        .where('kid', '=', read.id)
        .where('secret_key_id', '=', read.secretKeyId)
        .executeTakeFirst()
    case 'push-keys':
      return db
        .updateTable('push_keys')
        .set(key)
        .where('id', '=', read.id)
        .where('secret_key_id', '=', read.secretKeyId)
        .executeTakeFirst()
    case 'record-log':
      return db
        .updateTable('record_keys')
        .set(key)
        .where('vkey', '=', read.id)
        .where('secret_key_id', '=', read.secretKeyId)
        .executeTakeFirst()
    case 'factor-secrets':
      return db
        .updateTable('mfa_factors')
        .set({ secret_sealed: sealed, secret_key_id: secretKeyId })
        .where('id', '=', read.id)
        .where('secret_key_id', '=', read.secretKeyId)
        .executeTakeFirst()
  }
}
