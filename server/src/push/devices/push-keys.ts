import webPush from 'web-push'
import { seal, unseal } from '../../auth/keys/sealed-box.ts'
import type { SecretKey } from '../../auth/keys/secret-key.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import { newId } from '../../platform/ids.ts'
import { findPushKeys, insertPushKey, type PushKeyRow } from './push-keys.queries.ts'

/** A pair with which the product names itself to push services (RFC 8292); both parts in base64url. */
export type PushKey = { id: string; publicKey: string; privateKey: string }

/** The pairs of the product; all processes share them through the database. */
export type PushKeys = {
  /** The one that new devices get; made when there is none that this process can open. */
  given(now: Date): Promise<PushKey>
  /** Finds the key pair with which a device was turned on; null when it is unknown or sealed under a secret that is not ours. */
  find(id: string): Promise<PushKey | null>
}

type Deps = { db: Queryable; secret: SecretKey }

export function makePushKeys(deps: Deps): PushKeys {
  // Pairs never change, so each is opened once.
  const opened = new Map<string, PushKey>()
  const read = async () => {
    const rows = await findPushKeys(deps.db)
    for (const row of rows) {
      const key = opened.get(row.id) ?? open(deps.secret, row)
      if (key) opened.set(row.id, key)
    }
    return rows.find(({ replaced_at }) => replaced_at === null) ?? null
  }
  return {
    async given(now) {
      const before = await read()
      const known = before && opened.get(before.id)
      if (known) return known
      await insertPushKey(deps.db, draw(deps.secret, now), before?.id ?? null, now)
      const after = await read()
      const made = after && opened.get(after.id)
      if (!made)
        throw new Error('no key for push services can be opened: do all processes have the same AUTH_SECRET?')
      return made
    },
    async find(id) {
      if (!opened.has(id)) await read()
      return opened.get(id) ?? null
    },
  }
}

function draw(secret: SecretKey, now: Date) {
  const { privateKey, publicKey } = webPush.generateVAPIDKeys()
  const id = newId()
  const box = seal(secret, { purpose: 'push-keys', id }, privateKey)
  return {
    id,
    public_key: publicKey,
    private_sealed: box.sealed,
    secret_key_id: box.secretKeyId,
    created_at: now,
  }
}

function open(secret: SecretKey, row: PushKeyRow): PushKey | null {
  const box = { sealed: row.private_sealed, secretKeyId: row.secret_key_id }
  const privateKey = unseal(secret, { purpose: 'push-keys', id: row.id }, box)
  return privateKey === null ? null : { id: row.id, publicKey: row.public_key, privateKey }
}
