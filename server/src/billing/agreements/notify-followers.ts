import { findUsername, isInactive } from '../../accounts/accounts.queries.ts'
import { queueMail } from '../../mail/outbox/queue-mail.ts'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import { hasAgreed, presentPrice, proposalOf } from '../prices/followers-price.ts'
import { type DatedPrices, findDatedPrices, settleNotices } from '../prices/own-prices.queries.ts'
import type { BillingDeps } from '../provider/billing-deps.ts'
import { forgetKnown, listToNotify, type ToNotify } from './followers-to-notify.queries.ts'

/** Followers whom one transaction mails. */
const BATCH = 500

/**
 * Mails those who follow a trader what the last change of prices means for them (rule G-122): that theirs has become lower, or that a
 * higher one is proposed. Nobody is mailed of a price that was changed again meanwhile. Safe to repeat. Stays due for those whose lower
 * price Stripe has not put on yet, and while the trader is suspended.
 */
export async function notifyFollowers(deps: BillingDeps, traderId: string, now: Date): Promise<void> {
  const { db } = deps
  const named = await findDatedPrices(db, traderId)
  const trader = await findUsername(db, traderId)
  if (named === null) return
  // Somebody who has been erased has no name, and nobody who follows.
  if (!trader) return settleNotices(db, traderId, named.changedAt)
  if (await isInactive(db, traderId)) return
  let isWaiting = false
  for (let after: string | null = null; ; ) {
    const batch: ToNotify[] = await listToNotify(db, { traderId, after }, BATCH)
    await withTransaction(db, async (tx) => {
      for (const one of batch) {
        const outcome = await notify(deps, tx, { ...one, trader, named }, now)
        if (outcome === 'later') isWaiting = true
      }
    })
    after = batch.at(-1)?.id ?? null
    if (batch.length < BATCH) break
  }
  if (!isWaiting) await settleNotices(db, traderId, named.changedAt)
}

async function notify(
  { settings }: BillingDeps,
  tx: Queryable,
  one: ToNotify & { trader: string; named: DatedPrices },
  now: Date,
): Promise<'done' | 'later'> {
  const { currency, id, interval, knownCents, named, price, subscriberId, trader } = one
  const present = presentPrice(named, one, settings)
  const facts = { trader, toCents: price.priceCents, currency, interval }
  if (knownCents !== null) {
    if (present !== null && present.cents < price.priceCents) return 'later'
    if (!(await forgetKnown(tx, one))) return 'later'
    if (knownCents > price.priceCents) {
      const cause = `${id}:${knownCents}:${named.changedAt.toISOString()}`
      const from = one.periodEnd?.toISOString() ?? null
      const mail = { kind: 'price_lowered', userId: subscriberId, cause } as const
      await queueMail(tx, { ...mail, facts: { ...facts, fromCents: knownCents, from } }, now)
    }
  }
  const isNew = present !== null && (named.notifiedUntil === null || present.since > named.notifiedUntil)
  const proposal = one.renews ? proposalOf(price, present, one, now) : null
  if (!isNew || proposal === null || hasAgreed(price, present)) return 'done'
  const { from, priceCents: toCents } = proposal
  const fromCents = Math.min(price.kept?.cents ?? price.priceCents, price.priceCents)
  const cause = `${id}:${present.since.toISOString()}`
  const mail = { kind: 'price_proposed', userId: subscriberId, cause } as const
  await queueMail(tx, { ...mail, facts: { ...facts, toCents, fromCents, from } }, now)
  return 'done'
}
