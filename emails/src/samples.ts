import {
  type RenderedMail,
  renderAccountCodeMail,
  renderAccountRestoredMail,
  renderAccountSuspendedMail,
  renderCollectionPausedMail,
  renderCollectionResumedMail,
  renderDoublePaymentReturnedMail,
  renderPaymentDisputedMail,
  renderPaymentProblemMail,
  renderPayoutsLostMail,
  renderPayoutsPausedMail,
  renderPositionAdjustedMail,
  renderPositionClosedMail,
  renderPositionOpenedMail,
  renderRecoveryCodeUsedMail,
  renderSecondFactorChangedMail,
  renderSignInMail,
  renderSubscriptionEndedMail,
  renderTraderUnavailableMail,
} from './render.tsx'

const who = { trader: 'maria', origin: 'https://tradepost.example' }
const money = { amountCents: 1000, currency: 'usd' }
const position = {
  ...who,
  symbol: 'AAPL',
  openPrice: '187.520000',
  publishedAt: '2026-11-18T15:04:05.000Z',
  unsubscribeUrl: `${who.origin}/mail/unsubscribe/AbC-_0123456789abcdefg`,
}
const changed = {
  ...who,
  undoUrl: `${who.origin}/mail/second-step/AbC-_0123456789abcdefgAbC-_0123456789abcdefgAbC-_0123456789abcde`,
  at: '2026-11-18T15:04:05.000Z',
  from: { device: 'Safari on iPhone', network: '203.0.113.*' },
}
const longNotes = `The services business grows faster than the market gives it credit for, and the buy-back takes care of the rest.

I am wrong if it closes below 170 twice in a row; then I am out, whatever the news. https://example.com/a-long-link-that-nobody-would-type-by-hand-and-no-line-can-hold-as-a-whole`

/** Every mail in every form that its readers may see, by name; for people to look at and for the tests of them all. */
export function sampleMails(): Record<string, RenderedMail> {
  return {
    'sign-in': renderSignInMail({
      ...who,
      code: '042137',
      link: `${who.origin}/login#token_hash=q6Lr0yWfYkS0zQxKxNnGg1n7p1mJ4fJm7e5kq3o2b9A&type=email`,
    }),
    'confirmation-code': renderAccountCodeMail({ ...who, code: '042137', purpose: 'reauthentication' }),
    'undo-code': renderAccountCodeMail({ ...who, code: '042137', purpose: 'factor_undo' }),
    'second-factor-on': renderSecondFactorChangedMail({ ...changed, change: 'added', others: false }),
    'second-factor-off': renderSecondFactorChangedMail({ ...changed, change: 'removed', others: false }),
    'second-factor-off-by-undo': renderSecondFactorChangedMail({
      ...changed,
      change: 'removed',
      others: false,
      undoUrl: null,
    }),
    'second-factor-added': renderSecondFactorChangedMail({ ...changed, change: 'added', others: true }),
    'second-factor-removed-by-operator': renderSecondFactorChangedMail({
      ...changed,
      change: 'removed',
      others: true,
      from: null,
    }),
    'recovery-code-used': renderRecoveryCodeUsedMail({ ...changed, left: 9 }),
    'last-recovery-code-used': renderRecoveryCodeUsedMail({ ...changed, left: 0 }),
    'position-opened': renderPositionOpenedMail({
      ...position,
      holdLength: 'one_to_three_weeks',
      notes: longNotes,
    }),
    'position-closed-gain': renderPositionClosedMail({
      ...position,
      closePrice: '201.1',
      percentageGain: '7.241894197952',
      openedAt: '2026-11-02T16:40:12.000Z',
      notes: 'The buy-back is done. Taking the profit.',
    }),
    'position-closed-loss': renderPositionClosedMail({
      ...position,
      closePrice: '169.9',
      percentageGain: '-9.396331',
      openedAt: '2026-11-17T20:59:01.000Z',
      notes: 'Two closes below 170: out, as I said.',
    }),
    'position-adjusted': renderPositionAdjustedMail({
      ...position,
      newShares: 10,
      oldShares: 1,
      openPriceBefore: '1875.200000',
      percentageGain: null,
    }),
    'position-adjusted-after-its-close': renderPositionAdjustedMail({
      ...position,
      newShares: 10,
      oldShares: 1,
      openPriceBefore: '1875.200000',
      percentageGain: '7.241894197952',
    }),
    'payment-problem-declined': renderPaymentProblemMail({ ...who, ...money, problem: 'declined' }),
    'payment-problem-unconfirmed': renderPaymentProblemMail({ ...who, ...money, problem: 'action_required' }),
    'payment-problem-last': renderPaymentProblemMail({ ...who, ...money, problem: 'declined', last: true }),
    'subscription-ended-canceled': renderSubscriptionEndedMail({ ...who, why: 'canceled' }),
    'subscription-ended-unpaid': renderSubscriptionEndedMail({ ...who, why: 'unpaid' }),
    'subscription-ended-disputed': renderSubscriptionEndedMail({ ...who, why: 'disputed' }),
    'double-payment-to-subscriber': renderDoublePaymentReturnedMail({ ...who, ...money, to: 'subscriber' }),
    'double-payment-to-trader': renderDoublePaymentReturnedMail({ ...who, ...money, to: 'trader' }),
    'trader-unavailable-returned': renderTraderUnavailableMail({ ...who, amountCents: 432, currency: 'usd' }),
    'payouts-lost-closed': renderPayoutsLostMail({ ...who, after: 'account_closed' }),
    'payouts-lost-waiting': renderPayoutsLostMail({ ...who, after: 'waiting' }),
    'payouts-lost-suspended': renderPayoutsLostMail({ ...who, after: 'suspended' }),
    'payouts-paused': renderPayoutsPausedMail(who),
    'collection-paused': renderCollectionPausedMail(who),
    'collection-resumed': renderCollectionResumedMail(who),
    'payment-disputed': renderPaymentDisputedMail({ ...who, ...money }),
    'account-suspended': renderAccountSuspendedMail({
      ...who,
      trader: '',
      reason: 'Several people report that your notes are copied from a newsletter.',
    }),
    'account-restored': renderAccountRestoredMail({ ...who, trader: '', reason: 'The reports were wrong.' }),
    'trader-unavailable-nothing': renderTraderUnavailableMail({ ...who, amountCents: 0, currency: 'usd' }),
  }
}
