import { randomBytes } from 'node:crypto'
import type { Clock } from '../platform/clock.ts'
import type { Queryable } from '../platform/database.ts'
import { newSecret, sha256 } from '../platform/ids.ts'
import type { Mailer } from '../platform/mailer.ts'
import { defineTask, type Task } from '../platform/queue.ts'
import { countUse } from '../platform/rate-limit.ts'
import { sendSignInMail } from './auth.jobs.ts'
import { findLiveChallenge, settlePlace, storePlace, storeSecrets } from './challenges.queries.ts'
import { MAILS_OF_ALL, placeNow } from './limit-mails.ts'
import { CODE_LIFE_MS, codeHmac, drawCode, LINK_LIFE_MS, PKCE_PREFIX } from './one-time-code.ts'
import { type SecretKey, secretKeyName } from './secret-key.ts'
import { hasUser } from './users.queries.ts'

/** Writes the mail; the worker gives that of the e-mails workspace. */
export type SignInMailTemplate = (props: { code: string; link: string; origin: string }) => {
  subject: string
  html: string
  text: string
}

type SendDeps = {
  db: Queryable
  clock: Clock
  origin: string
  secret: SecretKey
  mailer: Pick<Mailer, 'send'>
  render: SignInMailTemplate
}

const LINK_SECRET_BYTES = 32
/** Of SHA-256; a random one in its place is the HMAC of no code. */
const HMAC_BYTES = 32

/**
 * Draws code and link of a challenge, stores their hashes and mails them: the secrets exist in this mail alone, and
 * a retry draws new ones (decision G-04). Nothing is sent when the challenge has been replaced, used or has grown old,
 * or when it asked for no new user and there is none. In that last case a code is stored all the same, one that nothing
 * matches: a challenge without one would be refused faster, and tell whether the address has a user.
 */
export function sendSignInMailTask(deps: SendDeps): Task {
  return defineTask(sendSignInMail, async ({ challengeId }) => {
    const { key } = MAILS_OF_ALL
    const hasGone = await sendMailOf(deps, challengeId).catch(async (error) => {
      await settlePlace(deps.db, { id: challengeId, key, hasGone: false })
      throw error
    })
    // One statement for both, as everywhere on the way of an address that may have no user.
    await settlePlace(deps.db, { id: challengeId, key, hasGone })
  })
}

/** @returns whether a mail has gone */
async function sendMailOf(deps: SendDeps, challengeId: string): Promise<boolean> {
  const now = deps.clock.now()
  const challenge = await findLiveChallenge(deps.db, challengeId, now)
  if (!challenge) return false
  const hasReader = (await hasUser(deps.db, challenge.email)) || challenge.create_user
  const code = drawCode()
  const linkSecret = `${challenge.code_challenge ? PKCE_PREFIX : ''}${newSecret(LINK_SECRET_BYTES)}`
  const stored = await storeSecrets(
    deps.db,
    challenge.id,
    {
      secret_key_id: secretKeyName(deps.secret),
      code_hmac: hasReader ? codeHmac(deps.secret, challenge, code) : randomBytes(HMAC_BYTES),
      link_sha256: sha256(linkSecret),
      code_expires_at: new Date(now.getTime() + CODE_LIFE_MS),
      link_expires_at: new Date(now.getTime() + LINK_LIFE_MS),
    },
    now,
  )
  if (!stored || !hasReader) return false
  // A try that failed gave its place back. It was granted once; this one takes another without asking.
  if (challenge.place_in === null) {
    await storePlace(deps.db, challenge.id, placeNow(now))
    await countUse(deps.db, MAILS_OF_ALL, now)
  }
  const link = `${deps.origin}/login#token_hash=${linkSecret}&type=${challenge.purpose === 'recovery' ? 'recovery' : 'email'}`
  const mail = deps.render({ code, link, origin: deps.origin })
  await deps.mailer.send({ ...mail, to: challenge.email, headers: { 'Auto-Submitted': 'auto-generated' } })
  return true
}
