import type { Session } from '../model/checkout.ts'
import { invalid } from '../refusals/errors.ts'
import { anything, either, fields, nullable, type ObjectOf, oneOf, optional, text } from '../shape/shape.ts'
import type { Setting } from '../store/settings.ts'
import type { Tx } from '../world/world.ts'

/** The address of the terms in the account's public details (dashboard.stripe.com/settings/public); empty without one. */
export const TERMS_URL: Setting<string> = {
  name: 'terms-url',
  shape: text,
  otherwise: 'https://sandbox.example/terms',
}

/** Of each text that an account puts on the page. */
const LONGEST_MESSAGE = 1200

/** Emptied, it is none. */
const MESSAGE = optional(either(nullable(fields({ message: optional(text) })), oneOf('')))

/** The parameters of a session that are about consent. */
export const CONSENT = {
  consent_collection: optional(
    fields({
      terms_of_service: optional(text),
      promotions: optional(text),
      payment_method_reuse_agreement: optional(anything),
    }),
  ),
  custom_text: optional(
    fields({
      terms_of_service_acceptance: MESSAGE,
      submit: MESSAGE,
      after_submit: MESSAGE,
      shipping_address: MESSAGE,
    }),
  ),
}

type Params = ObjectOf<typeof CONSENT>

/** The fields of a session that say what its page asks the buyer to agree to. @throws ApiError where Stripe opens no such session */
export function consentOf(tx: Tx, { consent_collection: asked, custom_text: texts }: Params) {
  const isAsked = asked?.terms_of_service === 'required'
  if (isAsked && tx.settings.read(TERMS_URL) === '')
    throw invalid(
      'You cannot collect consent to your terms of service unless a URL is set in the Stripe Dashboard. Update your public business details in the Dashboard https://dashboard.stripe.com/settings/public with a Terms of service URL to collect terms of service consent from customers.',
      'consent_collection[terms_of_service]',
    )
  if (asked?.promotions === 'auto')
    throw invalid(
      'The page of the payments sandbox asks for no consent to promotions.',
      'consent_collection[promotions]',
    )
  return {
    consent_collection:
      asked === undefined
        ? null
        : {
            payment_method_reuse_agreement: null,
            promotions: asked.promotions ?? null,
            terms_of_service: asked.terms_of_service ?? null,
          },
    // Before anybody agreed, as Stripe has it.
    consent: isAsked ? { promotions: null, terms_of_service: null } : null,
    custom_text: {
      after_submit: messageOf(texts, 'after_submit'),
      shipping_address: messageOf(texts, 'shipping_address'),
      submit: messageOf(texts, 'submit'),
      terms_of_service_acceptance: messageOf(texts, 'terms_of_service_acceptance'),
    },
  }
}

function messageOf(
  texts: Params['custom_text'],
  place: keyof NonNullable<Params['custom_text']>,
): { message: string } | null {
  const message = (texts?.[place] || null)?.message
  if (message === undefined) return null
  if (message.length > LONGEST_MESSAGE)
    throw invalid(
      `Invalid string: ${message.slice(0, 10)}...${message.slice(-10)}; must be at most ${LONGEST_MESSAGE} characters`,
      `custom_text[${place}][message]`,
    )
  return { message }
}

/** Whether the buyer has to agree to the terms before paying. */
export function asksForTerms(session: Session): boolean {
  return session.consent_collection?.terms_of_service === 'required'
}

/** The sentence of the buyer who has not agreed. */
export const NOT_AGREED = 'Agree to the terms of service to continue.'
