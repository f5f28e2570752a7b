import { withTransaction } from '../../platform/database/queryable.ts'
import { listSubscriptions, type StripeSubscription } from '../../stripe/subscriptions.ts'
import { enqueue } from '../../work/jobs.ts'
import { nextCharge } from '../prices/next-charge.ts'
import type { BillingDeps } from '../provider/billing-deps.ts'
import { findBought, listUnseen, markSubscriptionsSeen } from '../subscriptions/followers.queries.ts'
import { enqueueSubscription } from '../subscriptions/subscriptions.jobs.ts'
import { compareWithStripe } from './webhooks.jobs.ts'

/** Rows that the second half takes on at a time. */
const BATCH = 500

/** Where the nightly comparison is: `after` the last of the page before, `began` when its first page was read. */
type Place = { after?: string | undefined; began?: string | undefined }

/**
 * Compares everything that lives at Stripe with what is stored here, a page a job; then everything that lives here and
 * was not seen there is looked at one by one. A difference is brought in line by the one function that does that.
 * @throws what Stripe throws; the page is tried again
 */
export async function comparePage(deps: BillingDeps, place: Place, now: Date): Promise<void> {
  const began = place.began ?? now.toISOString()
  const { next, subscriptions: there } = await listSubscriptions(deps, place.after)
  await withTransaction(deps.db, async (tx) => {
    const here = await findBought(
      tx,
      there.map(({ id }) => id),
    )
    const differing = there.filter((one) => !agrees(one, here.get(one.id)))
    for (const { id } of differing) await enqueueSubscription(tx, id)
    const same = there.filter((one) => !differing.includes(one))
    await markSubscriptionsSeen(
      tx,
      same.map(({ id }) => id),
      now,
    )
    if (next !== null) await enqueue(tx, compareWithStripe, { after: next, began })
  })
  if (next === null) await lookAtUnseen(deps, new Date(began))
}

/** Lives here, and not at Stripe. */
async function lookAtUnseen({ db }: BillingDeps, before: Date): Promise<void> {
  for (let after: string | null = null; ; ) {
    const batch: { id: string; stripeSubscriptionId: string }[] = await listUnseen(db, before, after, BATCH)
    await withTransaction(db, async (tx) => {
      for (const { stripeSubscriptionId } of batch) await enqueueSubscription(tx, stripeSubscriptionId)
    })
    after = batch.at(-1)?.id ?? null
    if (batch.length < BATCH) return
  }
}

type Here = Pick<StripeSubscription, 'status' | 'currentPeriodEnd' | 'cancelAt' | 'paused'> & {
  renewalCents: number | null
}

function agrees(there: StripeSubscription, here: Here | undefined): boolean {
  if (!here) return false
  return (
    there.status === here.status &&
    there.paused === here.paused &&
    (nextCharge(there)?.cents ?? null) === here.renewalCents &&
    there.currentPeriodEnd?.getTime() === here.currentPeriodEnd?.getTime() &&
    there.cancelAt?.getTime() === here.cancelAt?.getTime()
  )
}
