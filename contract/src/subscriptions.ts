import * as z from 'zod/mini'
import { usernameText } from './accounts.ts'
import { BILLING_INTERVALS } from './billing-interval.ts'
import { limited } from './limited.ts'
import { USERNAME_MIN_LENGTH, UUID_LENGTH } from './limits.ts'
import { shownAsWritten } from './shown-as-written.ts'
import { trialDays } from './trial.ts'

/**
 * The states of a subscription as the payment provider names them. Entitled (positions and mails): active, trialing
 * and past_due (rule G-33). Live (one a pair): all but canceled.
 */
export const SUBSCRIPTION_STATUSES = [
  'incomplete',
  'trialing',
  'active',
  'past_due',
  'unpaid',
  'paused',
  'canceled',
] as const
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number]

const ENTITLED_STATUSES = ['active', 'trialing', 'past_due'] as const satisfies SubscriptionStatus[]

/** Whether a subscription in this state gives access to positions and mails. */
export function isEntitled(status: string): boolean {
  return ENTITLED_STATUSES.some((entitled) => entitled === status)
}

/** Names a subscription: its id, or the username of the trader it follows (rule G-32). */
export const subscriptionParams = z.object({
  id: limited(z.string(), {
    description: 'A UUID or a username.',
    minLength: USERNAME_MIN_LENGTH,
    maxLength: UUID_LENGTH,
  }),
})

/**
 * The price that a trader proposes to somebody who pays less (rule G-122): without an answer theirs stays. A client that does not know it
 * charges nobody more.
 */
const newPrice = z.object({
  /** At each renewal, in cents of the subscription's currency. */
  priceCents: z.int(),
  /** Whether the follower has agreed to it; until it is charged that can be taken back. */
  agreed: z.boolean(),
  /** The first renewal that has it, or would; thirty days after the proposal at the earliest. */
  from: z.string(),
})
export type NewPrice = z.infer<typeof newPrice>

/** Something that is taken off the next renewal (rule G-124); amounts in cents of the subscription's currency. */
const runningDiscount = z.object({
  /** The cost of the next renewal. */
  cents: z.int(),
  /** Its cost without the discount, and that of the renewals afterwards. */
  thenCents: z.int(),
  /** The first renewal without it; null for always. */
  until: z.nullable(z.string()),
  /** The trader's code; null for a discount without one. */
  code: z.nullable(z.string()),
})
export type RunningDiscount = z.infer<typeof runningDiscount>

/** Why money of a subscription comes back: a withdrawal (rule G-126), a month in which nothing reached the follower (rule G-127), or else: an end, or a refund by hand. */
const RETURN_REASONS = ['withdrawn', 'empty_month', 'other'] as const

/** Money of a subscription that comes back to the one who paid. */
const paymentReturn = z.object({
  why: shownAsWritten(RETURN_REASONS),
  /** In cents of the subscription's currency; null until it is computed. */
  cents: z.nullable(z.int()),
  /** The first day of the month that comes back (UTC), as `2026-11-09`; null for another reason. */
  monthFrom: z.nullable(z.string()),
  /** When the provider was asked to return it; null while that is to come. */
  returnedAt: z.nullable(z.string()),
})
export type PaymentReturn = z.infer<typeof paymentReturn>

/** For whom a bank decided: the payment stands, or the payer has it back. */
const DISPUTE_DECISIONS = ['payment', 'payer'] as const

/** A payment that the payer's bank took back because they dispute it (rule G-55); an inquiry, which takes nothing, is none. */
const disputedPayment = z.object({
  /** The whole payment, in cents of the subscription's currency. */
  paidCents: z.int(),
  disputedAt: z.string(),
  /** Null while the bank has not decided. */
  decided: z.nullable(shownAsWritten(DISPUTE_DECISIONS)),
})
export type DisputedPayment = z.infer<typeof disputedPayment>

/** A subscription as the one who pays sees it (section 3.2). */
const subscriptionItem = z.object({
  id: z.string(),
  /** The trader who is followed. */
  username: z.string(),
  status: shownAsWritten(SUBSCRIPTION_STATUSES),
  /** Whether the trader's positions are mailed; the paid subscription goes on without it (rule G-63). */
  mailEnabled: z.boolean(),
  /** When it ends although it was paid until then; null while it renews. */
  endsAt: z.nullable(z.string()),
  /** When it renews, or would; null while nothing is charged because the trader cannot be paid. */
  currentPeriodEnd: z.nullable(z.string()),
  startedAt: z.string(),
  /** At each renewal, in cents of `currency`, without a discount. */
  priceCents: z.int(),
  currency: z.string(),
  /** How often it renews. Beyond the specification's own fields; a client does without. */
  interval: z.optional(shownAsWritten(BILLING_INTERVALS)),
  /** Only where the trader proposes another price. `priceCents` is the one that it would replace. */
  newPrice: z.optional(newPrice),
  /** Only while something is taken off. A client does without. */
  discount: z.optional(runningDiscount),
  /** Until when it can, or could, be withdrawn from (rule G-126); null where nothing was paid. A client does without. */
  withdrawUntil: z.optional(z.nullable(z.string())),
  /** When it was withdrawn from (rule G-126). Left out for any other. */
  withdrawnAt: z.optional(z.string()),
  /** The money of it that came back or is on its way, the oldest first. Left out where there is none. */
  returns: z.optional(z.array(paymentReturn)),
  /** Its payments that the payer disputes, or did, the oldest first. Left out where there is none. */
  disputes: z.optional(z.array(disputedPayment)),
  /** When its free days end and the first payment is due; null outside of a trial (rule G-123). A client does without. */
  trialEndsAt: z.optional(z.nullable(z.string())),
})
export type SubscriptionItem = z.infer<typeof subscriptionItem>

/**
 * Why mails to somebody are withheld: their mail server refuses them or sends them back, or one was reported as unwanted. They
 * go out again after a sign-in by a mailed code where they were refused, and by the operator (ADR 0066 and 0072).
 */
const MAILS_REFUSED = ['refused', 'complained'] as const
export type MailsRefused = (typeof MAILS_REFUSED)[number]

export const subscriptionsAnswer = z.object({
  /** Live ones first, then newest first. */
  subscriptions: z.array(subscriptionItem),
  /** Null while mails go out. Beyond the specification's own fields; a client does without. */
  mailsRefused: z.optional(z.nullable(shownAsWritten(MAILS_REFUSED))),
  /**
   * False while the caller has the mails about positions of all traders switched off, whatever `mailEnabled` says of one (rule G-120). A
   * client does without.
   */
  positionMails: z.optional(z.boolean()),
})
export type SubscriptionsAnswer = z.infer<typeof subscriptionsAnswer>

/** How the caller stands to one trader; `id` and `status` of the live subscription, null without one. */
export const subscriptionCheck = z.object({
  subscribed: z.boolean(),
  id: z.nullable(z.string()),
  status: z.nullable(shownAsWritten(SUBSCRIPTION_STATUSES)),
  /**
   * The free days that the caller would get with the trader now, by what is known before the card; null for none (rule G-123). Only where
   * the trader is named. A client does without.
   */
  trialDays: z.optional(z.nullable(trialDays)),
  /**
   * True where the caller's last subscription to the named trader ended at once because its free days were refused (rule G-123): nothing was
   * charged. Left out otherwise.
   */
  trialRefused: z.optional(z.literal(true)),
})
export type SubscriptionCheck = z.infer<typeof subscriptionCheck>

export const subscribePayload = z.object({
  username: usernameText,
  /** How often it renews: each month unless given. */
  interval: z.optional(z.enum(BILLING_INTERVALS)),
  /** A code of the trader's, as typed; it counts for a month's price. */
  discountCode: z.optional(limited(z.string(), { maxLength: 40 })),
  /** The price that the caller was shown, in cents and without a code's discount; a different one by now is refused. */
  priceCents: z.optional(z.int()),
  /** The free days that the caller was shown and wants; none unless given. */
  trialDays: z.optional(trialDays),
})
/** An amount agrees to it, and is refused where another one is proposed by now; null takes the agreement back. */
export const agreementPayload = z.object({ priceCents: z.nullable(z.int()) })
/** The proposal as it stands now; null where the price is the follower's already. */
export const agreementAnswer = z.object({ newPrice: z.nullable(newPrice) })

/** When the subscription ends: with its trial. ISO 8601 UTC. */
export const endTrialAnswer = z.object({ endsAt: z.string() })
export const mailSwitchPayload = z.object({ enabled: z.boolean() })
export const mailSwitchAnswer = z.object({ mailEnabled: z.boolean() })
export const positionMailsAnswer = z.object({ positionMails: z.boolean() })

export const subscriberStats = z.object({ subscribers: z.int() })
