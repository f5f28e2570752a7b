import { normalizeEmail } from '@tradepost/contract/email-address'
import { audit } from '../../auth/audit/audit.ts'
import type { SecretKey } from '../../auth/keys/secret-key.ts'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import { findSuppressions, liftSuppressions, type Suppression } from '../suppressions/suppressions.queries.ts'

/** For an operator: the suppressed addresses, one line each, newest first; all but printable ASCII is replaced. */
export async function readSuppressions(db: Queryable): Promise<string> {
  const lines = (await findSuppressions(db)).map(line)
  return lines.length > 0 ? lines.join('\n') : 'Nobody is suppressed.'
}

function line({ address, cause, endsAt, since, smtpCode, smtpStatus }: Suppression): string {
  return [
    since.toISOString(),
    cause,
    smtpCode ?? '-',
    smtpStatus ?? '-',
    address.replaceAll(/[^ -~]/g, '?'),
    ...(endsAt ? [`until ${endsAt.toISOString()}`] : []),
  ].join('  ')
}

/**
 * Lifts the suppression of one address, or all suppressions.
 * @param whom a mail address, or `all`
 * @returns how many people are mailed again
 * @throws when that is no mail address
 */
export async function liftSuppression(
  deps: { db: Queryable; secret: SecretKey },
  whom: string,
  now: Date,
): Promise<number> {
  const email = whom === 'all' ? null : normalizeEmail(whom)
  if (whom !== 'all' && email === null) throw new Error('Say `lift` and a mail address, or `lift all`.')
  return withTransaction(deps.db, async (tx) => {
    const lifted = await liftSuppressions(tx, email)
    for (const userId of lifted)
      await audit(deps, tx, { action: 'suppression_lifted', userId, detail: 'by operator' }, now)
    return lifted.length
  })
}
