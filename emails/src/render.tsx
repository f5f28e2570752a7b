import { openedSubject } from '@tradepost/contract/position-mail'
import type { ReactElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { AccountCode, type AccountCodeProps, accountCodeSubject, accountCodeText } from './account-code.tsx'
import { type AccountSuspendedProps, accountRestored, accountSuspended } from './account-suspended.ts'
import { collectionPaused, collectionResumed, payoutsPaused } from './collection-paused.ts'
import { type DoublePaymentReturnedProps, doublePaymentReturned } from './double-payment-returned.ts'
import { type Letter, LetterMail, letterText, type MoneyMailProps } from './letter.tsx'
import { type PaymentDisputedProps, paymentDisputed } from './payment-disputed.ts'
import { type PaymentProblemProps, paymentProblem } from './payment-problem.ts'
import { type PayoutsLostProps, payoutsLost } from './payouts-lost.ts'
import {
  adjustedSubject,
  PositionAdjusted,
  type PositionAdjustedProps,
  positionAdjustedText,
} from './position-adjusted.tsx'
import {
  closedSubject,
  PositionClosed,
  type PositionClosedProps,
  positionClosedText,
} from './position-closed.tsx'
import { PositionOpened, type PositionOpenedProps, positionOpenedText } from './position-opened.tsx'
import { type RecoveryCodeUsedProps, recoveryCodeUsed } from './recovery-code-used.ts'
import { type SecondFactorChangedProps, secondFactorChanged } from './second-factor-changed.ts'
import { type SecurityLetter, SecurityMail, securityText } from './security-letter.tsx'
import { SignIn, type SignInProps, signInSubject, signInText } from './sign-in.tsx'
import { type SubscriptionEndedProps, subscriptionEnded } from './subscription-ended.ts'
import { type TraderUnavailableProps, traderUnavailable } from './trader-unavailable.ts'

/** A mail's three faces. The subject is one line; the text is written for reading, not derived from the HTML. */
export type RenderedMail = { subject: string; html: string; text: string }

/** The mail that holds a code and a link (LOGIN-04). */
export function renderSignInMail(props: SignInProps): RenderedMail {
  return { subject: signInSubject(props), html: toHtml(<SignIn {...props} />), text: signInText(props) }
}

/** The code by which the owner of an account confirms a change of its second step, or undoes one. */
export function renderAccountCodeMail(props: AccountCodeProps): RenderedMail {
  return {
    subject: accountCodeSubject(props),
    html: toHtml(<AccountCode {...props} />),
    text: accountCodeText(props),
  }
}

/** Told to the owner of an account whose second factor was added or removed. */
export function renderSecondFactorChangedMail(props: SecondFactorChangedProps): RenderedMail {
  return renderSecurityMail(secondFactorChanged(props))
}

/** Told to the owner of an account when a recovery code stood in for their authenticator app. */
export function renderRecoveryCodeUsedMail(props: RecoveryCodeUsedProps): RenderedMail {
  return renderSecurityMail(recoveryCodeUsed(props))
}

/** Told to every subscriber when a trader opens a position. */
export function renderPositionOpenedMail(props: PositionOpenedProps): RenderedMail {
  return {
    subject: openedSubject(props),
    html: toHtml(<PositionOpened {...props} />),
    text: positionOpenedText(props),
  }
}

/** Told to every subscriber when a trader closes one. */
export function renderPositionClosedMail(props: PositionClosedProps): RenderedMail {
  return {
    subject: closedSubject(props),
    html: toHtml(<PositionClosed {...props} />),
    text: positionClosedText(props),
  }
}

/** Told to every subscriber when a stock in which a trader holds a position was split. */
export function renderPositionAdjustedMail(props: PositionAdjustedProps): RenderedMail {
  return {
    subject: adjustedSubject(props),
    html: toHtml(<PositionAdjusted {...props} />),
    text: positionAdjustedText(props),
  }
}

/** Told to a subscriber whose renewal was not paid. */
export function renderPaymentProblemMail(props: PaymentProblemProps): RenderedMail {
  return renderLetter(props, paymentProblem(props))
}

/** Told to a subscriber when it is over. */
export function renderSubscriptionEndedMail(props: SubscriptionEndedProps): RenderedMail {
  return renderLetter(props, subscriptionEnded(props))
}

/** Told to subscriber and trader when a second payment for the same thing went back. */
export function renderDoublePaymentReturnedMail(props: DoublePaymentReturnedProps): RenderedMail {
  return renderLetter(props, doublePaymentReturned(props))
}

/** Told to a subscriber whose trader cannot be paid any more. */
export function renderTraderUnavailableMail(props: TraderUnavailableProps): RenderedMail {
  return renderLetter(props, traderUnavailable(props))
}

/** Told to a trader who cannot be paid any more. */
export function renderPayoutsLostMail(props: PayoutsLostProps): RenderedMail {
  return renderLetter(props, payoutsLost(props))
}

/** Told to a trader whose subscriber's bank took a payment back. */
export function renderPaymentDisputedMail(props: PaymentDisputedProps): RenderedMail {
  return renderLetter(props, paymentDisputed(props))
}

/** Told to subscribers who are not charged for now, and once they are again. */
export function renderCollectionPausedMail(props: MoneyMailProps): RenderedMail {
  return renderLetter(props, collectionPaused(props))
}

export function renderCollectionResumedMail(props: MoneyMailProps): RenderedMail {
  return renderLetter(props, collectionResumed(props))
}

/** Told to a trader who cannot be paid for now. */
export function renderPayoutsPausedMail(props: MoneyMailProps): RenderedMail {
  return renderLetter(props, payoutsPaused(props))
}

/** Sent to a person who was suspended, and again once the suspension is over. */
export function renderAccountSuspendedMail(props: AccountSuspendedProps): RenderedMail {
  return renderLetter(props, accountSuspended(props))
}

export function renderAccountRestoredMail(props: AccountSuspendedProps): RenderedMail {
  return renderLetter(props, accountRestored(props))
}

function renderLetter({ trader, origin }: MoneyMailProps, letter: Letter): RenderedMail {
  const whole = { trader, origin, letter }
  return { subject: letter.subject, html: toHtml(<LetterMail {...whole} />), text: letterText(whole) }
}

function renderSecurityMail(letter: SecurityLetter): RenderedMail {
  return { subject: letter.subject, html: toHtml(<SecurityMail {...letter} />), text: securityText(letter) }
}

function toHtml(mail: ReactElement): string {
  return `<!doctype html>${renderToStaticMarkup(mail)}`
}
