import { randomBytes } from 'node:crypto'
import type { Prepare, Prepared } from '../../mail/outbox/prepare-mails.ts'
import { queueMail } from '../../mail/outbox/queue-mail.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import { newSecret, sha256 } from '../../platform/ids.ts'
import { type SecretKey, secretKeyName } from '../keys/secret-key.ts'
import { findLiveChallenges, type LiveChallenge, storeSecrets } from './challenges.queries.ts'
import { CODE_LIFE_MS, codeHmac, drawCode, LINK_LIFE_MS, PKCE_PREFIX } from './one-time-code.ts'

const LINK_SECRET_BYTES = 32
/** Of SHA-256; a random one in its place is the HMAC of no code. */
const HMAC_BYTES = 32

/**
 * Draws code and link of challenges and stores their hashes: the secrets exist in the mail alone, and a retry draws new ones
 * (rule G-04). A mail is unneeded when its challenge has been replaced, used or has grown old, or when it asked for no new
 * user and there is none, or the address is kept for somebody who has another one now. In these last cases a code is stored all the same,
 * one that nothing matches: a challenge without one would be refused faster, and reveal whether the address has a user. The same where the
 * account is closed: its person is mailed how to have it back (rule G-117).
 */
export function prepareSignInMails(deps: {
  db: Queryable
  origin: string
  secret: SecretKey
}): Prepare<'sign_in'> {
  return async (mails, now) => {
    const live = await findLiveChallenges(
      deps.db,
      mails.map(({ facts }) => facts.challengeId),
      now,
    )
    const drawn = live.map((challenge) => {
      const code = drawCode()
      const linkSecret = `${challenge.code_challenge ? PKCE_PREFIX : ''}${newSecret(LINK_SECRET_BYTES)}`
      const mayCreate = challenge.create_user && !challenge.is_kept
      const hasReader = challenge.closing_id === null && (challenge.has_user || mayCreate)
      const hmac = hasReader ? codeHmac(deps.secret, challenge, code) : randomBytes(HMAC_BYTES)
      return { challenge, code, linkSecret, hasReader, hmac }
    })
    const stored = await storeSecrets(
      deps.db,
      drawn.map(({ challenge, hmac, linkSecret }) => ({
        id: challenge.id,
        codeHmac: hmac,
        linkSha256: sha256(linkSecret),
      })),
      {
        secretKeyId: secretKeyName(deps.secret),
        codeExpiresAt: new Date(now.getTime() + CODE_LIFE_MS),
        linkExpiresAt: new Date(now.getTime() + LINK_LIFE_MS),
      },
      now,
    )
    const prepared = new Map<string, Prepared<'sign_in'>>()
    for (const { challenge, code, linkSecret, hasReader } of drawn) {
      if (stored.has(challenge.id)) await mailOfClosing(deps.db, challenge, now)
      if (!hasReader || !stored.has(challenge.id)) continue
      const type = challenge.purpose === 'recovery' ? 'recovery' : 'email'
      const link = `${deps.origin}/login#token_hash=${linkSecret}&type=${type}`
      prepared.set(challenge.id, { drawn: { code, link }, address: challenge.email })
    }
    return mails.map(({ facts }) => prepared.get(facts.challengeId) ?? null)
  }
}

/** Once a request; of an account that is at its end nobody is mailed any more. */
async function mailOfClosing(db: Queryable, challenge: LiveChallenge, now: Date): Promise<void> {
  const { closing_id: closingId, erase_at: eraseAt, id, reason, user_id: userId } = challenge
  if (closingId === null || eraseAt === null || userId === null || eraseAt <= now) return
  const facts = { occasion: 'sign_in', eraseAt: eraseAt.toISOString(), reason, closingId } as const
  await queueMail(db, { kind: 'account_closed', userId, cause: `${closingId}:${id}`, facts }, now)
}
