import { RISK_SENTENCE } from './risk.ts'
import { webPaths } from './web-paths.ts'

/** Stripe takes no longer sentence beside its box. */
export const ACCEPTANCE_MAX_LENGTH = 1200

/**
 * The sentence beside the box that a person ticks on Stripe's page before paying (rule G-125); a link is in square brackets, as Stripe takes
 * it.
 * @param shown.origin public address of the product, without a slash at the end
 * @param shown.termsVersion of the terms that are there now
 */
export function acceptanceSentence(shown: { origin: string; termsVersion: string }): string {
  const { origin, termsVersion } = shown
  return `I agree to the [terms](${origin}${webPaths.terms}), version ${termsVersion}. ${RISK_SENTENCE}`
}
