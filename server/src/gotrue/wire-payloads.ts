import * as z from 'zod'
import type { SignOutScope } from '../auth/sessions/sessions.queries.ts'
import type { Purpose } from '../auth/sign-in/one-time-code.ts'
import { fitsMetadata, UNSTORABLE } from '../auth/users/user-metadata.ts'
import { invalidField, wireError } from './wire-error.ts'
import { readEmail } from './wire-request.ts'

/** A field that clients leave out, or send as null when they mean that. */
const optionalText = z.string().nullish()

const metadata = z
  .record(z.string(), z.unknown())
  .nullish()
  .refine((data) => fitsMetadata(data ?? {}))

/** `data` is accepted and ignored: the person who asks for a mail need not own the address (ADR 0024). */
export const otpPayload = z.object({
  email: optionalText,
  phone: optionalText,
  create_user: z.boolean().nullish(),
  code_challenge: optionalText,
  code_challenge_method: optionalText,
})

export const recoverPayload = otpPayload.pick({
  email: true,
  phone: true,
  code_challenge: true,
  code_challenge_method: true,
})

export const resendPayload = recoverPayload.extend({
  type: z.enum(['signup', 'email_change', 'sms', 'phone_change']),
})

export const pkcePayload = z.object({ auth_code: z.string().min(1), code_verifier: z.string().min(1) })

export const factorPayload = z.object({
  factor_type: z.enum(['totp', 'phone', 'webauthn']),
  friendly_name: storableText(100),
  issuer: storableText(100),
})

export const factorAnswerPayload = z.object({ challenge_id: z.uuid(), code: z.string() })

function storableText(maxLength: number) {
  return z
    .string()
    .max(maxLength)
    .nullish()
    .refine((text) => !UNSTORABLE.test(JSON.stringify(text ?? '')))
}

/** `data` and `email` can be changed; the others are named to be refused. */
const userPayload = z.object({
  data: metadata,
  email: optionalText,
  phone: optionalText,
  password: optionalText,
  app_metadata: z.unknown().optional(),
  nonce: optionalText,
})

export const verifyPayload = z.object({
  type: z.string(),
  email: optionalText,
  phone: optionalText,
  token: optionalText,
  token_hash: optionalText,
})

export const refreshPayload = z.object({ refresh_token: z.string().min(1) })

export type VerifyPayload = z.infer<typeof verifyPayload>

/** Reads a body; unknown fields are ignored. @throws `validation_failed`, naming the fields that are at fault */
export function readPayload<Payload>(schema: z.core.$ZodType<Payload>, body: unknown): Payload {
  const parsed = z.safeParse(schema, body ?? {})
  if (parsed.success) return parsed.data
  // A body that is no object has no fields.
  const named = parsed.error.issues.filter(({ path }) => path.length > 0)
  const fields = Object.fromEntries(named.map(({ path, message }) => [String(path[0]), message]))
  throw wireError('validation_failed', named.length > 0 ? { fields } : {})
}

/**
 * The parts of a user that may be changed: the user metadata and the address, in the one spelling; and the code of a reauthentication,
 * which comes by this call.
 * @returns null for what the body does not bring
 * @throws `validation_failed` (422) for what is not offered, `not_admin`; for an address to which no mail can go as `readEmail`
 */
export function readUserChange(body: unknown): {
  data: Record<string, unknown> | null
  email: string | null
  nonce: string | null
} {
  const { data, email, phone, password, app_metadata, nonce } = readPayload(userPayload, body)
  if (app_metadata !== undefined && app_metadata !== null) throw wireError('not_admin')
  const status = 422
  if (password) throw invalidField('password', 'Passwords are not offered', { status })
  if (phone) throw invalidField('phone', 'Phone numbers are not offered', { status })
  return { data: data ?? null, email: email ? readEmail({ email }) : null, nonce: nonce || null }
}

const PURPOSES = new Map<string, Purpose>([
  ['email', 'sign_in'],
  ['magiclink', 'sign_in'],
  ['signup', 'sign_in'],
  ['recovery', 'recovery'],
])

/** Kinds of codes that nobody is ever sent here: whatever is given for one is wrong, as the reference server answers. */
export function isPhoneType(type: string): boolean {
  return type === 'sms' || type === 'phone_change'
}

/** Whether it can be a phone number at all: E.164's 2 to 15 digits; a plus sign in front and spaces do not count. */
export function isPhoneNumber(text: string): boolean {
  return /^\+?[1-9]\d{1,14}$/.test(text.replaceAll(' ', ''))
}

/** @throws `validation_failed` for a kind of verification that is not offered */
export function readPurpose(type: string): Purpose {
  const purpose = PURPOSES.get(type)
  if (!purpose) throw invalidField('type', 'Unsupported verification type')
  return purpose
}

/**
 * The code challenge of RFC 7636, or null when there is none; `plain` is not accepted.
 * @throws `validation_failed`
 */
export function readCodeChallenge(
  payload: Pick<z.infer<typeof otpPayload>, 'code_challenge' | 'code_challenge_method'>,
): string | null {
  const { code_challenge: challenge, code_challenge_method: method } = payload
  if (!challenge && !method) return null
  if (!/^[\w.~-]{43,128}$/.test(challenge ?? '')) {
    throw invalidField('code_challenge', 'Invalid code challenge')
  }
  if (method?.toLowerCase() !== 's256') {
    throw invalidField('code_challenge_method', 'Invalid code challenge: only s256 is accepted')
  }
  return challenge ?? null
}

const SCOPES: readonly SignOutScope[] = ['global', 'local', 'others']

/** @throws `validation_failed` */
export function readScope(given: string | undefined): SignOutScope {
  const scope = SCOPES.find((known) => known === (given ?? 'global'))
  if (!scope) throw invalidField('scope', 'Unsupported logout scope')
  return scope
}
