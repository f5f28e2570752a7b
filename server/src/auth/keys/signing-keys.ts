import { createPrivateKey, type JsonWebKeyInput, type KeyObject } from 'node:crypto'
import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import type { Queryable } from '../../platform/database/queryable.ts'
import { newId } from '../../platform/ids.ts'
import type { AccessTokenClaims } from './access-token-claims.ts'
import { seal, unseal } from './sealed-box.ts'
import { type SecretKey, secretKeyNamed } from './secret-key.ts'
import {
  findSigningKeys,
  insertSigningKey,
  type NewSigningKey,
  promoteSigningKey,
  type SigningKeyRow,
} from './signing-keys.queries.ts'

export const SIGNING_ALGORITHM = 'ES256'

/** The keys that access tokens are signed and checked with; all processes share them through the database. */
export type SigningKeys = {
  signing(now: Date): Promise<SigningKey>
  /** The public key of that name, or null when no token of ours can name it. */
  publicKey(kid: string, now: Date): Promise<PublicKey | null>
  /** The keys that /.well-known/jwks.json publishes (RFC 7517); never a private part. */
  published(now: Date): Promise<JWK[]>
}

/** The tokens' issuer and audience, and the keys they are signed with. */
export type TokenDeps = { origin: string; signingKeys: SigningKeys }

/** The key that tokens are signed with. @property verified as of its public key */
type SigningKey = { kid: string; key: KeyObject; verified: PublicKey['verified'] }

/** A key that tokens are checked with. @property verified tokens whose signature it has found good, by their SHA-256 */
export type PublicKey = { key: CryptoKey; verified: Map<string, AccessTokenClaims> }

type Loaded = {
  at: Date
  signing: SigningKey
  published: JWK[]
  publicKeys: Map<string, PublicKey>
}

/** A key that another process made is seen after this long. */
const RELOAD_AFTER_MS = 5 * 60_000
/** Tokens that name unknown keys cannot make every request read the table. */
const RELOAD_FOR_UNKNOWN_AFTER_MS = 10_000

export function makeSigningKeys(deps: { db: Queryable; secret: SecretKey }): SigningKeys {
  let cached: Promise<Loaded> | null = null

  async function loaded(now: Date, maxAgeMs: number): Promise<Loaded> {
    const seen = cached
    const current = seen && (await seen)
    if (current && Math.abs(now.getTime() - current.at.getTime()) < maxAgeMs) return current
    // The first caller that finds them stale reads them again for all who wait.
    if (cached && cached !== seen) return cached
    const loading = load(deps, now)
    cached = loading
    loading.catch(() => {
      if (cached === loading) cached = null
    })
    return loading
  }

  return {
    signing: async (now) => (await loaded(now, RELOAD_AFTER_MS)).signing,
    published: async (now) => (await loaded(now, RELOAD_AFTER_MS)).published,
    async publicKey(kid, now) {
      const known = (await loaded(now, RELOAD_AFTER_MS)).publicKeys.get(kid)
      if (known) return known
      return (await loaded(now, RELOAD_FOR_UNKNOWN_AFTER_MS)).publicKeys.get(kid) ?? null
    },
  }
}

async function load(deps: { db: Queryable; secret: SecretKey }, now: Date): Promise<Loaded> {
  const rows = await settle(deps, await findSigningKeys(deps.db), now)
  const ours = rows.find((row) => row.state === 'signing')
  const privateKey = ours && openKey(ours, deps.secret)
  if (!privateKey)
    throw new Error('no signing key can be opened: do all processes have the same AUTH_SECRET?')
  const publicKeys = new Map<string, PublicKey>()
  for (const row of rows) {
    publicKeys.set(row.kid, { key: await importKey(row.public_jwk as JWK), verified: new Map() })
  }
  const verified = publicKeys.get(ours.kid)?.verified ?? new Map()
  return {
    at: now,
    signing: {
      kid: ours.kid,
      key: createPrivateKey({ key: privateKey as JsonWebKeyInput['key'], format: 'jwk' }),
      verified,
    },
    published: rows.map(publishable),
    publicKeys,
  }
}

/** Sees to it that a key of ours signs: the planned one once its time has come, a new one when there is none. */
async function settle(
  deps: { db: Queryable; secret: SecretKey },
  rows: SigningKeyRow[],
  now: Date,
): Promise<SigningKeyRow[]> {
  const current = rows.find((row) => row.state === 'signing')
  const isOurs = current !== undefined && secretKeyNamed(deps.secret, current.secret_key_id) !== null
  if (!isOurs) {
    // None yet, or one sealed under a secret that this process does not have: that one stays published.
    await insertSigningKey(deps.db, await drawSigningKey(deps.secret, now, now), current?.kid ?? null, now)
    return findSigningKeys(deps.db)
  }
  const due = rows.find(
    (row) =>
      isPlanned(row) && row.signs_from <= now && secretKeyNamed(deps.secret, row.secret_key_id) !== null,
  )
  if (!due) return rows
  await promoteSigningKey(deps.db, { to: due.kid, from: current.kid }, now)
  return findSigningKeys(deps.db)
}

/** Published, and has not signed yet. */
export function isPlanned(row: SigningKeyRow): boolean {
  return row.state === 'published' && row.signed_until === null
}

function publishable(row: SigningKeyRow): JWK {
  const { kty, crv, x, y } = row.public_jwk as JWK
  return { kty, crv, x, y, kid: row.kid, alg: row.alg, use: 'sig', key_ops: ['verify'] } as JWK
}

async function importKey(jwk: JWK): Promise<CryptoKey> {
  return (await importJWK(jwk, SIGNING_ALGORITHM)) as CryptoKey
}

/** @param signsFrom when it takes over; until then it is only published */
export async function drawSigningKey(secret: SecretKey, signsFrom: Date, now: Date): Promise<NewSigningKey> {
  const pair = await generateKeyPair(SIGNING_ALGORITHM, { extractable: true })
  const kid = newId()
  const privateJwk = JSON.stringify(await exportJWK(pair.privateKey))
  const box = seal(secret, { purpose: 'signing-keys', id: kid }, privateJwk)
  return {
    kid,
    public_jwk: JSON.stringify(await exportJWK(pair.publicKey)),
    private_sealed: box.sealed,
    secret_key_id: box.secretKeyId,
    created_at: now,
    signs_from: signsFrom,
  }
}

function openKey(row: SigningKeyRow, secret: SecretKey): JWK | null {
  const box = { sealed: row.private_sealed, secretKeyId: row.secret_key_id }
  const text = unseal(secret, { purpose: 'signing-keys', id: row.kid }, box)
  return text === null ? null : (JSON.parse(text) as JWK)
}
