import type { SecretKey } from '../auth/keys/secret-key.ts'
import { leaveUrl } from '../billing/leaving/leave-link.ts'
import type { Prepare } from '../mail/outbox/prepare-mails.ts'
import { unsubscribeUrl } from '../mail/unsubscribe/unsubscribe-url.ts'
import { type FollowingDeps, readResults } from './read-results.ts'
import { giveToken, listRenewals } from './renewal-mails.queries.ts'

type Deps = FollowingDeps & { origin: string; secret: SecretKey }
type Prepared = Awaited<ReturnType<Prepare<'renewal_ahead'>>>[number]

/**
 * Reads the results of following at the time at which the mail before a renewal is sent: the figures of the strip. A mail is unneeded when
 * nothing of its reader renews on its day any more, when that day has come, and when they have stopped it meanwhile.
 */
export function prepareRenewalMails(deps: Deps): Prepare<'renewal_ahead'> {
  return (mails, now) =>
    Promise.all(
      mails.map(({ facts, userId }) => (userId === null ? null : prepareOne(deps, userId, facts.day, now))),
    )
}

async function prepareOne(deps: Deps, userId: string, day: string, now: Date): Promise<Prepared> {
  const renewing = await listRenewals(deps.db, userId, day)
  if (renewing.length === 0 || now >= new Date(day)) return null
  const { indexSymbol, renewalMail, traders } = await readResults(deps, userId, now)
  if (!renewalMail) return null
  const renewals = traders.flatMap(({ username: trader, ...results }) => {
    const found = renewing.find((one) => one.trader === trader)
    if (!found) return []
    const { unsubscribeToken, ...renewal } = found
    return [{ ...renewal, ...results, leaveUrl: leaveUrl(deps, unsubscribeToken, now) }]
  })
  if (renewals.length === 0) return null
  const token = await giveToken(deps.db, userId)
  return { drawn: { indexSymbol, renewals, unsubscribeUrl: unsubscribeUrl(deps.origin, token) } }
}
