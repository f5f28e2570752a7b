import {
  type RenderedMail,
  renderAccountRestoredMail,
  renderAccountSuspendedMail,
  renderCollectionPausedMail,
  renderCollectionResumedMail,
  renderDoublePaymentReturnedMail,
  renderPaymentDisputedMail,
  renderPaymentProblemMail,
  renderPayoutsLostMail,
  renderPayoutsPausedMail,
  renderSubscriptionEndedMail,
  renderTraderUnavailableMail,
} from '@tradepost/emails/render'
import { type MoneyMail, type MoneyMailKind, moneyMailFacts } from '../subscriptions/money-mails.ts'

/**
 * The words of a money mail.
 * @param owed as stored
 * @param origin public address of the product
 * @throws ZodError when its facts are not those of its kind
 */
export function renderMoneyMail(owed: { kind: string; facts: unknown }, origin: string): RenderedMail {
  const { kind, facts } = readMoneyMail(owed)
  switch (kind) {
    case 'payment_problem':
      return renderPaymentProblemMail({ ...facts, origin })
    case 'subscription_ended':
      return renderSubscriptionEndedMail({ ...facts, origin })
    case 'double_payment_returned':
      return renderDoublePaymentReturnedMail({ ...facts, origin })
    case 'trader_unavailable':
      return renderTraderUnavailableMail({ ...facts, origin })
    case 'payouts_lost':
      return renderPayoutsLostMail({ ...facts, origin })
    case 'payment_disputed':
      return renderPaymentDisputedMail({ ...facts, origin })
    case 'collection_paused':
      return renderCollectionPausedMail({ ...facts, origin })
    case 'collection_resumed':
      return renderCollectionResumedMail({ ...facts, origin })
    case 'payouts_paused':
      return renderPayoutsPausedMail({ ...facts, origin })
    case 'account_suspended':
      return renderAccountSuspendedMail({ ...facts, trader: '', origin })
    case 'account_restored':
      return renderAccountRestoredMail({ ...facts, trader: '', origin })
  }
}

function readMoneyMail(owed: { kind: string; facts: unknown }): MoneyMail {
  // The table knows no other kinds.
  const kind = owed.kind as MoneyMailKind
  return { kind, facts: moneyMailFacts[kind].parse(owed.facts) } as MoneyMail
}
