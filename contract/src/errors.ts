/**
 * Every refusal of the product API: code to HTTP status and the one sentence a person reads (section 3.1).
 * 401 and 403 speak of identity only: they end the session (docs/specification.md section 8), so no business rule answers them.
 * Words in braces are filled in where the refusal is made.
 */
export const REFUSALS = {
  bad_request: { status: 400, message: 'Something went wrong, please try again.' },
  unauthorized: { status: 401, message: 'Please sign in again.' },
  second_factor_required: { status: 401, message: 'Please confirm with your authenticator code.' },
  account_suspended: { status: 403, message: 'This account is suspended.' },
  not_found: { status: 404, message: 'Not found.' },
  subscription_not_found: { status: 404, message: 'Not found.' },
  user_not_found: { status: 404, message: "That user doesn't seem to exist..." },
  position_not_found: { status: 404, message: 'You have no open position in {SYMBOL}.' },
  discount_code_not_found: { status: 404, message: 'That code is not valid here.' },
  activity_not_found: { status: 404, message: 'That is not in your activity.' },
  symbol_not_found: { status: 404, message: "We couldn't find a price for {SYMBOL}." },
  username_required: { status: 409, message: 'Set a username first.' },
  username_taken: { status: 409, message: 'That username is taken.' },
  username_already_set: { status: 409, message: 'Your username has already been set.' },
  market_closed: { status: 409, message: 'The market is currently closed.' },
  position_exists: {
    status: 409,
    message: 'You already have an open position in {SYMBOL}. Close it before opening another.',
  },
  same_day: { status: 409, message: 'You cannot close this position on the same day' },
  preview_expired: { status: 409, message: 'This price has expired. Check the price again.' },
  preview_used: { status: 409, message: 'This price has already been used. Check the price again.' },
  price_moved: { status: 409, message: 'The price has moved. Check it again.' },
  price_suspect: { status: 409, message: 'The price of {SYMBOL} looks wrong. We are checking it.' },
  price_too_low: { status: 409, message: 'Positions can be opened from $1.00.' },
  price_stale: { status: 409, message: 'There is no fresh price for {SYMBOL} right now.' },
  self_subscription: { status: 409, message: 'You cannot subscribe to your own account.' },
  already_subscribed: { status: 409, message: 'You are already subscribed to this user.' },
  not_subscribable: { status: 409, message: 'Subscribing is not available for this user.' },
  customer_required: { status: 409, message: 'Set up billing first.' },
  currency_conflict: {
    status: 409,
    message:
      'You pay for another subscription in a different currency, and Stripe takes only one from each person. You can subscribe here once it has ended.',
  },
  payment_refused: {
    status: 409,
    message: 'Stripe refuses this, and trying again will not help. Nothing has been charged.',
  },
  yearly_not_offered: { status: 409, message: 'This trader cannot be paid by the year.' },
  discount_code_taken: { status: 409, message: 'You have a code of that name already.' },
  too_many_discount_codes: { status: 409, message: 'You have 10 codes already. End one of them first.' },
  discount_too_large: { status: 409, message: 'At least {FROM} of your price must be left.' },
  subscription_price_changed: {
    status: 409,
    message: 'The price has changed. Look at it again. Nothing has been charged.',
  },
  trial_not_offered: {
    status: 409,
    message: 'There is no trial for you here. Look at the price again. Nothing has been charged.',
  },
  subscription_over: { status: 409, message: 'This subscription has ended.' },
  withdrawal_over: {
    status: 409,
    message: 'This subscription cannot be withdrawn from any more. You can cancel it.',
  },
  trial_over: { status: 409, message: 'This subscription is in no trial any more.' },
  onboarding_incomplete: { status: 409, message: 'Finish payout setup first.' },
  payouts_rejected: {
    status: 409,
    message: 'Your payout account at Stripe has been rejected for good. It cannot be opened again here.',
  },
  already_onboarded: { status: 409, message: 'Your payouts are already set up.' },
  second_factor_off: { status: 409, message: 'Set up two-step verification first.' },
  too_many_devices: {
    status: 409,
    message: 'Notifications are on for 10 devices already. Remove one of them first.',
  },
  reauthentication_needed: { status: 409, message: 'Confirm with a code from your e-mail first.' },
  record_sealed: {
    status: 404,
    message: 'This entry is sealed until its position is closed or past its plan.',
  },
  record_erased: { status: 410, message: 'The person of this entry is erased.' },
  method_not_allowed: { status: 405, message: 'This address does not take that method.' },
  payload_too_large: { status: 413, message: 'That is too long.' },
  username_too_short: { status: 422, message: 'Username must be at least 3 characters.' },
  username_too_long: { status: 422, message: 'Username is too long' },
  about_too_long: { status: 422, message: 'Use at most 160 characters.' },
  username_invalid: { status: 422, message: 'Use letters, numbers, hyphens and underscores only.' },
  username_beginning: { status: 422, message: 'Begin with a letter or number.' },
  query_too_short: { status: 422, message: 'Type at least 3 characters.' },
  symbol_required: { status: 422, message: 'Enter a ticker.' },
  symbol_invalid: { status: 422, message: 'That is not a valid ticker.' },
  notes_too_short: { status: 422, message: 'Notes must be at least 10 characters.' },
  notes_too_long: { status: 422, message: 'Notes can be at most 500 characters.' },
  invalid_length: { status: 422, message: 'Choose a position length.' },
  preview_invalid: { status: 422, message: 'Check the price again.' },
  feedback_length: { status: 422, message: 'Feedback must be between 10 and 500 characters.' },
  discount_code_invalid: { status: 422, message: 'Use 3 to 20 letters and numbers.' },
  discount_invalid: { status: 422, message: 'Type a discount such as 20 %, at most 90 %, or 5.00.' },
  discount_uses: { status: 422, message: 'Choose from 1 to 10000 uses.' },
  discount_last_day: { status: 422, message: 'Choose a day from today to a year from now.' },
  price_invalid: { status: 422, message: 'Type an amount such as 12 or 12.50.' },
  price_currency: { status: 422, message: 'Prices are in {CURRENCY} here.' },
  price_out_of_bounds: { status: 422, message: 'Choose a price from {FROM} to {TO} a month.' },
  yearly_out_of_bounds: { status: 422, message: 'Choose a price from {FROM} to {TO} a year.' },
  push_subscription_invalid: { status: 422, message: 'Notifications cannot be sent to this browser.' },
  too_many_openings: {
    status: 429,
    message: 'You have opened many positions. Please wait before opening another.',
  },
  too_many_price_changes: {
    status: 429,
    message: 'You have changed your prices 10 times within a day. Please try again tomorrow.',
  },
  too_many_exports: {
    status: 429,
    message: 'You have asked for 3 files within a day. Please try again tomorrow.',
  },
  rate_limited: { status: 429, message: 'Too many requests. Please wait a moment and try again.' },
  internal: { status: 500, message: 'Something went wrong, please try again.' },
  payment_provider_error: { status: 503, message: 'Payments are unavailable right now, please try again.' },
  price_unavailable: { status: 503, message: 'Prices are unavailable right now, please try again.' },
  unavailable: { status: 503, message: 'Something went wrong, please try again.' },
} as const satisfies Record<string, { status: number; message: string }>

export type RefusalCode = keyof typeof REFUSALS

/** The body of every error answer (section 3.1). */
export type ApiError = {
  message: string
  code: string
  requestId: string
  /** Each fault, by the name of the field. */
  fields?: Record<string, string>
}

/** Words that the sentences of some refusals hold. */
export type RefusalWords = { symbol?: string; currency?: string; from?: string; to?: string }

/** The sentence of a refusal, with what it speaks of. */
export function refusalMessage(code: RefusalCode, words: RefusalWords = {}): string {
  return REFUSALS[code].message.replaceAll(
    /\{([A-Z]+)\}/g,
    (_, word: string) => words[word.toLowerCase() as keyof RefusalWords] ?? '',
  )
}
