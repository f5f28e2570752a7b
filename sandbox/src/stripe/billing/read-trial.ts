import { invalid, past, tooFar } from '../refusals/errors.ts'
import { either, fields, number, type Of, oneOf, optional, text } from '../shape/shape.ts'

const DAY = 86_400
const LONGEST_DAYS = 730
const FURTHEST = 5 * 365.25 * DAY

/** The choices for a subscription whose trial ends while there is no card to charge. */
export type MissingMethod = 'create_invoice' | 'cancel'

/** A trial as a request asks for it. */
export type Trial = {
  /** Unix time */
  end: number
  missing: MissingMethod
}

/** Parameters of whatever makes a subscription with a trial, or moves the end of one. */
export const TRIAL_DAYS = optional(number)
export const TRIAL_END = optional(either(number, oneOf('now')))
export const TRIAL_SETTINGS = optional(
  fields({ end_behavior: optional(fields({ missing_payment_method: optional(text) })) }),
)

/**
 * The days of a trial, as Stripe takes them: from 1 to 730.
 * @throws ApiError for any other number
 */
export function checkTrialDays(days: number | undefined, param: string): number | null {
  if (days === undefined) return null
  if (days < 1) throw invalid('The minimum number of trial period days is 1.', param)
  if (days > LONGEST_DAYS) throw tooLong(param)
  return days
}

/**
 * Checks the end of a trial that a request names as an instant.
 * @param now Unix time, as all times here
 * @throws ApiError when it is not to come, more than five years away, or more than 730 days away
 */
export function checkTrialEnd(end: number, now: number, param: string): number {
  if (end <= now) throw past(param, end)
  if (end > now + FURTHEST) throw tooFar(param)
  if (end > now + LONGEST_DAYS * DAY) throw tooLong(param)
  return end
}

function tooLong(param: string) {
  return invalid(`The maximum number of trial period days is ${LONGEST_DAYS} (2 years).`, param)
}

/** @throws ApiError for `pause`: the sandbox pauses no subscription */
export function readMissingMethod(given: Of<typeof TRIAL_SETTINGS>, at = ''): MissingMethod {
  const wanted = given?.end_behavior?.missing_payment_method ?? 'create_invoice'
  if (wanted === 'create_invoice' || wanted === 'cancel') return wanted
  const path = `[end_behavior][missing_payment_method]`
  throw invalid(
    'At the end of a trial without a card the payments sandbox knows `create_invoice` and `cancel` only.',
    `${at === '' ? 'trial_settings' : `${at}[trial_settings]`}${path}`,
  )
}

/** The trial of a request that makes a subscription; null: it begins with a payment. */
export function readTrial(
  params: {
    trial_period_days?: number | undefined
    trial_end?: number | 'now' | undefined
    trial_settings?: Of<typeof TRIAL_SETTINGS>
  },
  now: number,
): Trial | null {
  const { trial_end: given, trial_period_days } = params
  if (given !== undefined && trial_period_days !== undefined)
    throw invalid('You may only specify one of these parameters: trial_end, trial_period_days.', 'trial_end')
  const missing = readMissingMethod(params.trial_settings)
  const days = checkTrialDays(trial_period_days, 'trial_period_days')
  if (days !== null) return { end: trialEnd(now, days), missing }
  if (given === undefined || given === 'now') return null
  return { end: checkTrialEnd(given, now, 'trial_end'), missing }
}

/** The end of a trial of so many days that begins now. */
export function trialEnd(now: number, days: number): number {
  return now + days * DAY
}
