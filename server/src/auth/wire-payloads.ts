import * as z from 'zod'
import type { Purpose } from './one-time-code.ts'
import type { SignOutScope } from './sessions.queries.ts'
import { wireError } from './wire-error.ts'

/** A field that clients leave out, or send as null when they mean that. */
const optionalText = z.string().nullish()

/** Of UTF-8, for all that a user says of themselves. */
const METADATA_MAX_BYTES = 2048
/** NUL and halves of surrogate pairs: JSON can say them, the database cannot keep them. */
const UNSTORABLE = /\\u(0000|d[89a-f])/i
const metadata = z
  .record(z.string(), z.unknown())
  .nullish()
  .refine((data) => fitsMetadata(data ?? {}))

/** Whether what a person says of themselves can be kept: no more than 2,048 bytes as JSON, none of them unstorable. */
export function fitsMetadata(data: object): boolean {
  const text = JSON.stringify(data)
  return Buffer.byteLength(text) <= METADATA_MAX_BYTES && !UNSTORABLE.test(text)
}

/** `data` is accepted and ignored: whoever asks for a mail need not be whose address it is (decision record 0024). */
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

/** Only `data` can be changed; the others are named to be refused. */
const userPayload = z.object({
  data: metadata,
  email: optionalText,
  phone: optionalText,
  password: optionalText,
  app_metadata: z.unknown().optional(),
})

export const verifyPayload = z.object({
  type: z.string(),
  email: optionalText,
  phone: optionalText,
  token: optionalText,
  token_hash: optionalText,
})

export const refreshPayload = z.object({ refresh_token: z.string().min(1) })

/** Reads a body; unknown fields are ignored. @throws `validation_failed` */
export function readPayload<Payload>(schema: z.ZodType<Payload>, body: unknown): Payload {
  const parsed = schema.safeParse(body ?? {})
  if (!parsed.success) throw wireError('validation_failed')
  return parsed.data
}

/**
 * What of a user may be changed: the data they say of themselves.
 * @returns null when the body brings none
 * @throws `validation_failed` (422) for what is not offered, `not_admin`
 */
export function readUserData(body: unknown): Record<string, unknown> | null {
  const { data, email, phone, password, app_metadata } = readPayload(userPayload, body)
  if (app_metadata !== undefined && app_metadata !== null) throw wireError('not_admin')
  const refused = password ? 'Passwords are' : email ? 'Changing the email address is' : 'Phone numbers are'
  if (password || email || phone) {
    throw wireError('validation_failed', { status: 422, message: `${refused} not offered` })
  }
  return data ?? null
}

const PURPOSES = new Map<string, Purpose>([
  ['email', 'sign_in'],
  ['magiclink', 'sign_in'],
  ['signup', 'sign_in'],
  ['recovery', 'recovery'],
])

/** @throws `validation_failed` for a kind of verification that is not offered */
export function readPurpose(type: string): Purpose {
  const purpose = PURPOSES.get(type)
  if (!purpose) throw wireError('validation_failed', { message: 'Unsupported verification type' })
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
  if (method?.toLowerCase() !== 's256' || !/^[\w.~-]{43,128}$/.test(challenge ?? '')) {
    throw wireError('validation_failed', { message: 'Invalid code challenge' })
  }
  return challenge ?? null
}

const SCOPES: readonly SignOutScope[] = ['global', 'local', 'others']

/** @throws `validation_failed` */
export function readScope(given: string | undefined): SignOutScope {
  const scope = SCOPES.find((known) => known === (given ?? 'global'))
  if (!scope) throw wireError('validation_failed', { message: 'Unsupported logout scope' })
  return scope
}
