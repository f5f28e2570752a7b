import type { Queryable } from '../platform/database.ts'

export type StoredBox = {
  purpose: 'signing-keys' | 'factor-secrets'
  id: string
  sealed: Buffer
  secretKeyId: string
}

/** What is sealed under another secret than the one of that name. */
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
  return [
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
  const { numUpdatedRows } =
    read.purpose === 'signing-keys'
      ? await db
          .updateTable('signing_keys')
          .set({ private_sealed: box.sealed, secret_key_id: box.secretKeyId })
          .where('kid', '=', read.id)
          .where('secret_key_id', '=', read.secretKeyId)
          .executeTakeFirst()
      : await db
          .updateTable('mfa_factors')
          .set({ secret_sealed: box.sealed, secret_key_id: box.secretKeyId })
          .where('id', '=', read.id)
          .where('secret_key_id', '=', read.secretKeyId)
          .executeTakeFirst()
  return numUpdatedRows > 0n
}
