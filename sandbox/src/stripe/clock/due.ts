import { endSubscription } from '../billing/ending.ts'
import { advanceDraft, expireIncomplete, renew, retry } from '../billing/renewals.ts'
import { trialWillEnd } from '../billing/trials.ts'
import { expireSession } from '../checkout/sessions.ts'
import { approveAfterReview } from '../connect/states.ts'
import { endDiscount } from '../discounts/redeem.ts'
import { expireCode, expireCoupon } from '../discounts/validity.ts'
import { LIVE } from '../model/billing.ts'
import { dispute, loseUnanswered } from '../payments/disputes.ts'
import { warnOfFraud } from '../payments/fraud-warnings.ts'
import { payOut, payoutArrives } from '../payments/payouts.ts'
import { failRefund } from '../payments/refunds.ts'
import { fields, number, type Of, oneOf, text } from '../shape/shape.ts'
import { makeSettings, OFFSET } from '../store/settings.ts'
import { transact } from '../world/transact.ts'
import { DUE_KINDS, type DueKind, sandboxNow, type Tx, type World } from '../world/world.ts'
import { arrive } from './test-clocks.ts'

/** So many due things share a transaction; between two batches requests and deliveries get their turn. */
const BATCH = 25

const dueRow = fields({ kind: oneOf(...DUE_KINDS), id: text, at: number })
type Due = Of<typeof dueRow>

/** One time that passes: the account's own (`clock` null), or a test clock's on its way. */
type Timeline = { clock: string | null; until: number }
const timelineRow = fields({ clock: text, until: number })

/** The actions for things whose time has come. */
const HANDLERS: Record<DueKind, (tx: Tx, id: string) => void> = {
  'renew-subscription': renew,
  'retry-invoice': retry,
  'finalize-invoice': advanceDraft,
  'expire-subscription': expireIncomplete,
  'end-subscription'(tx, id) {
    const subscription = tx.need('subscription', id)
    if (LIVE.includes(subscription.status)) endSubscription(tx, subscription, 'cancellation_requested')
  },
  'expire-session'(tx, id) {
    const session = tx.need('checkout.session', id)
    if (session.status === 'open') expireSession(tx, session)
  },
  'open-dispute'(tx, id) {
    const charge = tx.need('charge', id)
    if (!charge.disputed && !charge.refunded) dispute(tx, id)
  },
  'open-fraud-warning': warnOfFraud,
  'fail-refund': failRefund,
  'lose-dispute': loseUnanswered,
  'payout-arrives': payoutArrives,
  'pay-out': payOut,
  'trial-will-end': trialWillEnd,
  'end-discount': endDiscount,
  'expire-coupon': expireCoupon,
  'expire-promotion-code': expireCode,
  'approve-account': approveAfterReview,
  'clock-arrives': arrive,
}

/**
 * Does everything whose time has come, in the order of its times, each at its own time: what fell due ten days ago is
 * dated ten days ago, and what follows from it comes before what fell due later. Each clock runs separately: there is
 * no order between what happens on two of them.
 * @returns how many things happened
 */
export async function settleDue(world: World): Promise<number> {
  let total = 0
  for (;;) {
    const done = timelines(world).reduce((sum, timeline) => sum + settleBatch(world, timeline), 0)
    total += done
    if (done === 0) return total
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** @returns by the world's own clock, in milliseconds, when the next thing falls due; 0 while some test clock is on its way */
export function nextDueAt(world: World): number {
  if (isAdvancing(world)) return 0
  const next = nextDue(world, { clock: null, until: Number.MAX_SAFE_INTEGER })
  if (next === undefined) return Number.POSITIVE_INFINITY
  return next.at * 1000 - makeSettings(world.db).read(OFFSET)
}

/** Whether some test clock is on its way. */
export function isAdvancing(world: World): boolean {
  return timelines(world).length > 1
}

function timelines(world: World): Timeline[] {
  const clocks = world.db.all(
    timelineRow,
    "SELECT id AS clock, at AS until FROM due WHERE kind = 'clock-arrives'",
  )
  return [{ clock: null, until: sandboxNow(world) }, ...clocks]
}

function settleBatch(world: World, timeline: Timeline): number {
  const first = nextDue(world, timeline)
  if (first === undefined) return 0
  const { clock } = timeline
  return transact(
    world,
    null,
    (tx) => {
      let done = 0
      for (
        let due: Due | undefined = first;
        due !== undefined && done < BATCH;
        due = nextDue(world, timeline)
      ) {
        if (clock === null) tx.now = due.at
        else tx.change(tx.need('test_helpers.test_clock', clock), { frozen_time: due.at })
        tx.schedule(due.kind, due.id, null)
        HANDLERS[due.kind](tx, due.id)
        done++
      }
      return done
    },
    clock === null ? first.at : sandboxNow(world),
  )
}

function nextDue(world: World, { clock, until }: Timeline): Due | undefined {
  return world.db.get(
    dueRow,
    'SELECT kind, id, at FROM due WHERE clock IS ? AND at <= ? ORDER BY at, rank, id LIMIT 1',
    clock,
    until,
  )
}
