import { hash, sign } from 'node:crypto'
import { decodeProtectedHeader, errors, jwtVerify } from 'jose'
import * as z from 'zod'
import { type AccessTokenClaims, accessTokenClaims } from './access-token-claims.ts'
import { type PublicKey, SIGNING_ALGORITHM, type TokenDeps } from './signing-keys.ts'

export const ACCESS_TOKEN_SECONDS = 3600
export const AUDIENCE = 'authenticated'

/** How a session was authenticated, newest first. @property timestamp Unix seconds */
export type AuthenticationMethod = {
  method: 'otp' | 'magiclink' | 'email/signup' | 'recovery' | 'totp' | 'mfa/recovery_code'
  timestamp: number
}

export type AccessTokenContent = {
  userId: string
  sessionId: string
  /** Number of the refresh token that was handed out beside it: shows whether the newest pair is in use (G-82). */
  generation: number
  email: string
  aal: string
  amr: unknown
}

/** Tokens remembered of a key; the oldest is forgotten first. */
const REMEMBERED_TOKENS = 10_000

/** The provider that every user object and token names: people sign in by mailed code, and by nothing else. */
export const APP_METADATA = { provider: 'email', providers: ['email'] } as const

/**
 * Signs an access token. User metadata is no claim: nothing reads it there, and a token that grows with it outgrows the
 * headers that it travels in.
 * @returns a JWT (RFC 7519) with the claims that GoTrue's clients expect, valid for `ACCESS_TOKEN_SECONDS`
 */
export async function signAccessToken(
  deps: TokenDeps,
  content: AccessTokenContent,
  now: Date,
): Promise<string> {
  const { kid, key, verified } = await deps.signingKeys.signing(now)
  const issuedAt = unixSeconds(now)
  const claims = {
    email: content.email,
    phone: '',
    app_metadata: APP_METADATA,
    role: AUDIENCE,
    aal: content.aal,
    amr: content.amr,
    session_id: content.sessionId,
    is_anonymous: false,
    generation: content.generation,
    iss: issuer(deps),
    sub: content.userId,
    aud: AUDIENCE,
    iat: issuedAt,
    exp: issuedAt + ACCESS_TOKEN_SECONDS,
  }
  const signed = `${encode({ alg: SIGNING_ALGORITHM, kid, typ: 'JWT' })}.${encode(claims)}`
  // In this thread: handing so short a piece of work to another one takes longer than the work (ADR 0104).
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' })
  const token = `${signed}.${signature.toString('base64url')}`
  // Its owner presents it at once, mostly to this process.
  remember(verified, hash('sha256', token, 'base64url'), accessTokenClaims.parse(claims))
  return token
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}

/**
 * Checks signature, algorithm, issuer, audience and age. Whether the session still lives, only the database knows.
 * @returns whose token it is, or null when it is not a valid one of ours
 */
export async function readAccessToken(
  deps: TokenDeps,
  token: string,
  now: Date,
): Promise<{ userId: string; sessionId: string; generation: number; isAal2: boolean; endsAt: Date } | null> {
  const kid = keyNameOf(token)
  const publicKey = kid === null ? null : await deps.signingKeys.publicKey(kid, now)
  if (!publicKey) return null
  const known = await verifyOnce(deps, token, publicKey, now)
  if (!known || known.iss !== issuer(deps) || known.exp <= unixSeconds(now)) return null
  const { sub, session_id, generation, aal, exp } = known
  const endsAt = new Date(exp * 1000)
  return { userId: sub, sessionId: session_id, generation, isAal2: aal === 'aal2', endsAt }
}

/**
 * A token is presented hundreds of times in its hour, and its signature is as good as the first time while its key is
 * published: it is checked once and then known by its SHA-256. Expiry and sign-out are checked every time.
 */
async function verifyOnce(
  deps: TokenDeps,
  token: string,
  { key, verified }: PublicKey,
  now: Date,
): Promise<AccessTokenClaims | null> {
  const digest = hash('sha256', token, 'base64url')
  const known = verified.get(digest)
  if (known) return known
  const found = await verify(deps, token, key, now)
  if (!found) return null
  remember(verified, digest, found)
  return found
}

function remember(verified: PublicKey['verified'], digest: string, claims: AccessTokenClaims): void {
  const [oldest] = verified.keys()
  if (oldest !== undefined && verified.size >= REMEMBERED_TOKENS) verified.delete(oldest)
  verified.set(digest, claims)
}

async function verify(
  deps: TokenDeps,
  token: string,
  key: PublicKey['key'],
  now: Date,
): Promise<AccessTokenClaims | null> {
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: [SIGNING_ALGORITHM],
      issuer: issuer(deps),
      audience: AUDIENCE,
      requiredClaims: ['exp', 'sub'],
      currentDate: now,
    })
    return accessTokenClaims.parse(payload)
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof z.ZodError) return null
    throw error
  }
}

/** The header of nearly every token is the one of before: all that a key has signed have the same. */
let lastHeader: { text: string; kid: string | null } = { text: '', kid: null }

/** The `kid` of a token's header (RFC 7515 section 4.1.4), or null when it has none or is no token. */
function keyNameOf(token: string): string | null {
  const [text = ''] = token.split('.', 1)
  if (text !== lastHeader.text) lastHeader = { text, kid: readKeyName(token) }
  return lastHeader.kid
}

function readKeyName(token: string): string | null {
  try {
    const { kid } = decodeProtectedHeader(token)
    return typeof kid === 'string' ? kid : null
  } catch {
    return null
  }
}

export function unixSeconds(instant: Date): number {
  return Math.floor(instant.getTime() / 1000)
}

function issuer(deps: TokenDeps): string {
  return `${deps.origin}/auth/v1`
}
