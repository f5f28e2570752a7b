import { suspensionChanged } from '../accounts/suspensions.jobs.ts'
import { audit } from '../auth/audit/audit.ts'
import type { SecretKey } from '../auth/keys/secret-key.ts'
import { queueMail } from '../mail/outbox/queue-mail.ts'
import { type Queryable, withTransaction } from '../platform/database/queryable.ts'
import type { Client } from '../platform/http/client.ts'
import { enqueue } from '../work/jobs.ts'
import { findClosing, findClosingOf, lockClosing, markOpen, markReopened } from './closings.queries.ts'
import { readReopenToken } from './reopen-link.ts'

type Deps = { db: Queryable; secret: SecretKey }

/** The power of a mail's link: give the account back until `eraseAt` (UTC), or nothing any more. `newer`: the account was closed again since. */
export type Reopening =
  | { kind: 'live'; closingId: string; eraseAt: Date }
  | { kind: 'unknown' | 'open' | 'newer' | 'over' }

/** Looks what a link can do; changes nothing. */
export async function lookUpReopening(deps: Deps, token: string, now: Date): Promise<Reopening> {
  const closingId = readReopenToken(deps.secret, token)
  const closing = closingId === null ? null : await findClosing(deps.db, closingId)
  if (!closing) return { kind: 'unknown' }
  if (closing.reopenedAt) return { kind: await whatCameOf(deps.db, closing.userId, now) }
  if (closing.endedAt || closing.eraseAt <= now) return { kind: 'over' }
  return { kind: 'live', closingId: closing.id, eraseAt: closing.eraseAt }
}

/** How it stands with an account that was given back once. */
async function whatCameOf(db: Queryable, userId: string, now: Date): Promise<'open' | 'newer' | 'over'> {
  const closing = await findClosingOf(db, userId)
  if (!closing) return 'open'
  return closing.endedAt || closing.eraseAt <= now ? 'over' : 'newer'
}

/**
 * Gives a closed account back (rule G-117): signing in, name, boards and record. Ends and closes of meanwhile stay. A second press finds it
 * open.
 */
export function reopenAccount(
  deps: Deps,
  closingId: string,
  client: Client,
  now: Date,
): Promise<'reopened' | 'open' | 'over'> {
  return withTransaction(deps.db, async (tx) => {
    const closing = await lockClosing(tx, closingId)
    if (!closing || closing.endedAt || closing.eraseAt <= now) return 'over'
    if (closing.reopenedAt) return 'open'
    const { id, userId } = closing
    await markReopened(tx, id, now)
    await markOpen(tx, userId, now)
    await queueMail(tx, { kind: 'account_reopened', userId, cause: id, facts: {} }, now)
    await audit(deps, tx, { action: 'account_reopened', userId, client }, now)
    // What was bought before the closing ends all the same, also where that is not done yet.
    await enqueue(tx, suspensionChanged, { userId }, { key: `suspension-changed:${userId}` })
    return 'reopened'
  })
}
