import { openedSubject } from '@tradepost/contract/position-mail'
import type * as z from 'zod'
import { aboutRemoved } from './about-removed.ts'
import { accountClosed, accountErased, accountReopened } from './account-closed.ts'
import { accountCode } from './account-code.ts'
import { accountRestored, accountSuspended } from './account-suspended.ts'
import { addressChanged } from './address-changed.ts'
import { addressRestored } from './address-restored.ts'
import { collectionPaused, collectionResumed, payoutsPaused } from './collection-paused.ts'
import { disputeDecided } from './dispute-decided.ts'
import { doublePaymentReturned } from './double-payment-returned.ts'
import { emptyMonthReturned } from './empty-month-returned.ts'
import { emptyMonthsAhead } from './empty-months-ahead.ts'
import { emptyMonthsReturned } from './empty-months-returned.ts'
import { exportReady } from './export-ready.ts'
import { feedback } from './feedback.ts'
import { firstFollower } from './first-follower.ts'
import type { MailCategory, RenderedMail, Silenced, WrittenMail } from './mail.ts'
import { newAddressCode } from './new-address-code.ts'
import { oldAddressCode } from './old-address-code.tsx'
import { operatorNotice } from './operator-notice.ts'
import { paymentDisputed } from './payment-disputed.ts'
import { paymentProblem } from './payment-problem.ts'
import { paymentWarned } from './payment-warned.ts'
import { payoutsLost } from './payouts-lost.ts'
import { payoutsRejected } from './payouts-rejected.ts'
import {
  adjustedSubject,
  PositionAdjusted,
  type PositionAdjustedProps,
  positionAdjustedText,
} from './position-adjusted.tsx'
import {
  PositionClosed,
  type PositionClosedProps,
  positionClosedSubject,
  positionClosedText,
} from './position-closed.tsx'
import { PositionOpened, type PositionOpenedProps, positionOpenedText } from './position-opened.tsx'
import { positionPublic } from './position-public.ts'
import {
  PositionStruck,
  type PositionStruckProps,
  positionStruckText,
  struckSubject,
} from './position-struck.tsx'
import { priceLowered, priceProposed } from './price-changed.ts'
import {
  correctedSubject,
  PriceCorrected,
  type PriceCorrectedProps,
  priceCorrectedText,
} from './price-corrected.tsx'
import { pricesRetracted } from './prices-retracted.tsx'
import { recoveryCodeUsed } from './recovery-code-used.ts'
import { renewalAhead } from './renewal-ahead.tsx'
import { secondFactorChanged } from './second-factor-changed.ts'
import { secondFactorTried } from './second-factor-tried.ts'
import { signIn } from './sign-in.tsx'
import { subscriptionCanceled } from './subscription-canceled.ts'
import { subscriptionEnded } from './subscription-ended.ts'
import { subscriptionKept } from './subscription-kept.ts'
import { subscriptionStarted } from './subscription-started.tsx'
import { subscriptionWithdrawn } from './subscription-withdrawn.ts'
import {
  renamedSubject,
  SymbolRenamed,
  type SymbolRenamedProps,
  symbolRenamedText,
} from './symbol-renamed.tsx'
import { toHtml } from './to-html.ts'
import { traderUnavailable } from './trader-unavailable.ts'
import { trialEnding } from './trial-ending.ts'
import { wayOut } from './way-out.ts'

/**
 * Every kind of single mail, by the name under which the outbox keeps it. A new mail is a line here; a name that has been
 * used stays, since mails may wait under it.
 */
export const mails = {
  sign_in: signIn,
  account_code: accountCode,
  old_address_code: oldAddressCode,
  new_address_code: newAddressCode,
  address_changed: addressChanged,
  address_restored: addressRestored,
  second_factor_changed: secondFactorChanged,
  second_factor_tried: secondFactorTried,
  recovery_code_used: recoveryCodeUsed,
  export_ready: exportReady,
  payment_problem: paymentProblem,
  subscription_started: subscriptionStarted,
  renewal_ahead: renewalAhead,
  subscription_ended: subscriptionEnded,
  subscription_canceled: subscriptionCanceled,
  subscription_kept: subscriptionKept,
  subscription_withdrawn: subscriptionWithdrawn,
  way_out: wayOut,
  first_follower: firstFollower,
  double_payment_returned: doublePaymentReturned,
  payment_warned: paymentWarned,
  trial_ending: trialEnding,
  empty_month_returned: emptyMonthReturned,
  empty_months_ahead: emptyMonthsAhead,
  empty_months_returned: emptyMonthsReturned,
  trader_unavailable: traderUnavailable,
  payouts_lost: payoutsLost,
  payouts_paused: payoutsPaused,
  payouts_rejected: payoutsRejected,
  payment_disputed: paymentDisputed,
  dispute_decided: disputeDecided,
  collection_paused: collectionPaused,
  collection_resumed: collectionResumed,
  price_proposed: priceProposed,
  price_lowered: priceLowered,
  prices_retracted: pricesRetracted,
  position_public: positionPublic,
  account_suspended: accountSuspended,
  account_restored: accountRestored,
  account_closed: accountClosed,
  account_reopened: accountReopened,
  account_erased: accountErased,
  about_removed: aboutRemoved,
  operator_notice: operatorNotice,
  feedback,
}

export type { MailCategory, Silenced, WrittenMail }

type Mails = typeof mails
export type MailKind = keyof Mails
/** The stored facts of a mail of a kind. */
export type MailFacts<Kind extends MailKind> = z.infer<Mails[Kind]['facts']>
/** Kinds of which something is made when they are sent. */
export type DrawnKind = { [Kind in MailKind]: Mails[Kind]['drawn'] extends null ? never : Kind }[MailKind]
/** The values of a mail that are made when it is sent. */
export type MailDrawn<Kind extends DrawnKind> = z.infer<NonNullable<Mails[Kind]['drawn']>>

/** Sent to every subscriber when a trader opens a position. */
export function renderPositionOpenedMail(props: PositionOpenedProps): RenderedMail {
  return {
    subject: openedSubject(props),
    html: toHtml(<PositionOpened {...props} />),
    text: positionOpenedText(props),
  }
}

/** Sent to every subscriber when a trader closes one. */
export function renderPositionClosedMail(props: PositionClosedProps): RenderedMail {
  return {
    subject: positionClosedSubject(props),
    html: toHtml(<PositionClosed {...props} />),
    text: positionClosedText(props),
  }
}

/** Sent to every subscriber when a price of a position was set right. */
export function renderPriceCorrectedMail(props: PriceCorrectedProps): RenderedMail {
  return {
    subject: correctedSubject(props),
    html: toHtml(<PriceCorrected {...props} />),
    text: priceCorrectedText(props),
  }
}

/** Sent to every subscriber when an operator has struck a position. */
export function renderPositionStruckMail(props: PositionStruckProps): RenderedMail {
  return {
    subject: struckSubject(props),
    html: toHtml(<PositionStruck {...props} />),
    text: positionStruckText(props),
  }
}

/** Sent to every subscriber when a share in which a trader holds a position trades under another ticker. */
export function renderSymbolRenamedMail(props: SymbolRenamedProps): RenderedMail {
  return {
    subject: renamedSubject(props),
    html: toHtml(<SymbolRenamed {...props} />),
    text: symbolRenamedText(props),
  }
}

/** Sent to every subscriber when a stock in which a trader holds a position was split. */
export function renderPositionAdjustedMail(props: PositionAdjustedProps): RenderedMail {
  return {
    subject: adjustedSubject(props),
    html: toHtml(<PositionAdjusted {...props} />),
    text: positionAdjustedText(props),
  }
}
