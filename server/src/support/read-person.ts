import { findPerson } from '../accounts/find-person.ts'
import { findAudit } from '../auth/audit/audit.queries.ts'
import { audit, auditedEmail } from '../auth/audit/audit.ts'
import { auditLine } from '../auth/audit/read-audit.ts'
import type { SecretKey } from '../auth/keys/secret-key.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import { describeMoney } from './describe-money.ts'
import { describeAccount, describeMails, describeSignIn } from './describe-person.ts'
import {
  countFollowers,
  countOpenDebts,
  countPositions,
  findPersonRow,
  listDevices,
  listFactors,
  listLiveSessions,
  listPaid,
  listSuspensions,
  sumPayments,
} from './person.queries.ts'

/** One page: more subscriptions or entries would not fit on it. */
const SUBSCRIPTIONS_MAX = 20
const ENTRIES_MAX = 10

/**
 * One page of text for an operator who is asked for help: what is known about somebody. The reading is in the audit log, as an act about that
 * person. No secret is read, and nothing of what a position says.
 * @param who a mail address, or a username with or without @
 * @throws when nobody has that address or username
 */
export async function readPerson(
  deps: { db: Queryable; secret: SecretKey },
  who: string,
  now: Date,
): Promise<string> {
  const { db, secret } = deps
  const userId = await findPerson(db, who)
  const person = await findPersonRow(db, userId)
  if (!person) throw new Error('Nobody has that mail address or username.')
  const emailHmacs = secret.all.map((one) => auditedEmail(one, person.email))
  const entries = await findAudit(db, { userId, emailHmacs }, ENTRIES_MAX)
  await audit(deps, db, { action: 'person_read', userId, detail: 'by operator' }, now)
  const paid = await listPaid(db, userId, SUBSCRIPTIONS_MAX + 1)
  const lines = [
    ...describeAccount(userId, person, await listSuspensions(db, userId)),
    ...describeSignIn(person, await listLiveSessions(db, userId), await listFactors(db, userId)),
    ...describeMails(person, await listDevices(db, userId)),
    ...describeMoney(person, {
      positions: await countPositions(db, userId),
      followers: await countFollowers(db, userId),
      paid: paid.slice(0, SUBSCRIPTIONS_MAX),
      isMore: paid.length > SUBSCRIPTIONS_MAX,
      made: await sumPayments(db, userId, 'subscriber'),
      received: await sumPayments(db, userId, 'trader'),
      debts: await countOpenDebts(db, userId),
    }),
    '',
    'Last entries of the audit log',
    ...(entries.length > 0 ? entries.map((entry) => `  ${auditLine(entry)}`) : ['  none']),
  ]
  return lines.join('\n')
}
