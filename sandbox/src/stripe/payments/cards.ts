import type { Card } from '../model/payments.ts'

/** How a test card answers (docs.stripe.com/testing); every other number is refused. */
export type CardBehaviour = {
  brand: 'visa' | 'mastercard'
  /** Refused always, or only when charged: such a card can be saved and fails later. */
  decline?: { code: string; declineCode: string | null; message: string; savable: boolean }
  /** 3-D Secure: at the first payment only, or at each one. */
  challenge?: 'once' | 'always'
  disputed?: true
  warnedOf?: true
  refundFails?: true
}

type Decline = NonNullable<CardBehaviour['decline']>

const DECLINED = 'Your card was declined.'

function declines(code: string, declineCode: string | null, message: string, savable = false): CardBehaviour {
  const decline: Decline = { code, declineCode, message, savable }
  return { brand: 'visa', decline }
}

export const TEST_CARDS: Record<string, CardBehaviour> = {
  '4242424242424242': { brand: 'visa' },
  '5555555555554444': { brand: 'mastercard' },
  '4000000000000002': declines('card_declined', 'generic_decline', DECLINED),
  '4000000000009995': declines('card_declined', 'insufficient_funds', 'Your card has insufficient funds.'),
  '4000000000000069': declines('expired_card', null, 'Your card has expired.'),
  '4000000000000127': declines('incorrect_cvc', null, "Your card's security code is incorrect."),
  '4000000000000119': declines(
    'processing_error',
    null,
    'An error occurred while processing your card. Try again in a little bit.',
  ),
  '4000000000000341': declines('card_declined', 'generic_decline', DECLINED, true),
  '4000002500003155': { brand: 'visa', challenge: 'once' },
  '4000002760003184': { brand: 'visa', challenge: 'always' },
  '4000000000000259': { brand: 'visa', disputed: true },
  '4000000000005423': { brand: 'visa', warnedOf: true },
  '4000000000005126': { brand: 'visa', refundFails: true },
}

/** The payment methods that Stripe's test mode has ready by name. */
export const TEST_TOKENS: Record<string, string> = {
  pm_card_visa: '4242424242424242',
  pm_card_mastercard: '5555555555554444',
  pm_card_chargeDeclined: '4000000000000002',
  pm_card_chargeDeclinedInsufficientFunds: '4000000000009995',
  pm_card_chargeCustomerFail: '4000000000000341',
  pm_card_authenticationRequiredOnSetup: '4000002500003155',
  pm_card_authenticationRequired: '4000002760003184',
  pm_card_createDispute: '4000000000000259',
  pm_card_createIssuerFraudRecord: '4000000000005423',
  pm_card_refundFail: '4000000000005126',
}

/** The input of the card form. */
export type CardInput = { number: string; expiry: string; cvc: string }

/**
 * Reads a card form as the hosted pages do.
 * @param now seconds
 * @returns the card, or the sentence to show at the form
 */
export function readCard(input: CardInput, now: number): Card | string {
  const number = input.number.replace(/[\s-]/g, '')
  if (!/^\d{12,19}$/.test(number) || !passesLuhn(number)) return 'Your card number is invalid.'
  if (TEST_CARDS[number] === undefined)
    return 'This is not a test card. Use a test card such as 4242 4242 4242 4242: no real card is ever needed here.'
  const [, month, year] = /^\s*(\d{1,2})\s*\/\s*(?:20)?(\d{2})\s*$/.exec(input.expiry) ?? []
  const expMonth = Number(month)
  const expYear = 2000 + Number(year)
  if (!(expMonth >= 1 && expMonth <= 12))
    return 'Your card’s expiry date is invalid: write month / year, such as 12 / 34.'
  if (Date.UTC(expYear, expMonth, 1) / 1000 <= now) return 'Your card’s expiry date is in the past.'
  if (!/^\d{3,4}$/.test(input.cvc.trim())) return 'Your card’s security code is incomplete.'
  return { number, expMonth, expYear }
}

export function behaviourOf(number: string): CardBehaviour {
  return TEST_CARDS[number] ?? { brand: 'visa' }
}

function passesLuhn(number: string): boolean {
  const sum = [...number].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}
