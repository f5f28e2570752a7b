import { EMAIL_PROBLEMS } from '@tradepost/contract/email-address'
import { LINK_EXPIRED_MESSAGE } from '@tradepost/contract/link-errors'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { AuthFault, type AuthFaultCode } from '../auth/keys/auth-fault.ts'
import { isDatabaseUnavailable } from '../platform/database/database-errors.ts'
import { reasonOf } from '../platform/log.ts'

/** The failures of the sign-in wire, as GoTrue's clients know them: code to status and words. */
export const WIRE_ERRORS = {
  validation_failed: [400, 'The request is not valid'],
  reauthentication_needed: [400, 'This change requires reauthentication'],
  bad_json: [400, 'Could not parse request body as JSON'],
  bad_code_verifier: [400, 'code challenge does not match previously saved code verifier'],
  phone_provider_disabled: [400, 'Unsupported phone provider'],
  invalid_credentials: [400, 'unsupported_grant_type'],
  refresh_token_not_found: [400, 'Invalid Refresh Token: Refresh Token Not Found'],
  refresh_token_already_used: [400, 'Invalid Refresh Token: Already Used'],
  session_expired: [400, 'Invalid Refresh Token: Session Expired'],
  no_authorization: [401, 'This endpoint requires a valid Bearer token'],
  bad_jwt: [403, 'invalid JWT: unable to parse or verify signature'],
  session_not_found: [403, 'Session from session_id claim in JWT does not exist'],
  user_banned: [403, 'User is banned'],
  otp_expired: [403, 'Token has expired or is invalid'],
  insufficient_aal: [403, 'AAL2 required: confirm with the second factor first'],
  not_admin: [403, 'Updating app_metadata requires admin privileges'],
  not_found: [404, 'Path not found'],
  flow_state_not_found: [404, 'invalid flow state, no valid flow state found'],
  manual_linking_disabled: [404, 'Manual linking is disabled'],
  mfa_factor_not_found: [404, 'Factor not found'],
  method_not_allowed: [405, 'Method not allowed'],
  email_address_invalid: [422, 'Mail cannot be sent to this address'],
  email_provider_disabled: [422, 'Email logins are disabled'],
  flow_state_expired: [422, 'invalid flow state, flow state has expired'],
  mfa_challenge_expired: [
    422,
    'MFA challenge has expired, verify against another challenge or create a new challenge.',
  ],
  mfa_factor_name_conflict: [422, 'A factor with the friendly name for this user already exists'],
  mfa_phone_enroll_not_enabled: [422, 'MFA enroll is disabled for Phone'],
  mfa_verification_failed: [422, 'Invalid TOTP code entered'],
  mfa_webauthn_enroll_not_enabled: [422, 'MFA enroll is disabled for WebAuthn'],
  reauthentication_not_valid: [422, 'Nonce has expired or is invalid'],
  too_many_enrolled_mfa_factors: [422, 'Maximum number of verified factors reached, unenroll to continue'],
  over_email_send_rate_limit: [429, 'email rate limit exceeded'],
  over_request_rate_limit: [429, 'Request rate limit reached'],
  unexpected_failure: [500, 'Something went wrong, please try again.'],
} as const satisfies Record<string, readonly [status: number, message: string]>

export type WireErrorCode = keyof typeof WIRE_ERRORS

/** @property fields what is wrong with which field of the body or address, without what was in it */
type Details = {
  message?: string
  status?: number
  retryAfterSeconds?: number
  fields?: Record<string, string>
}

/** The words of a link that is refused. */
export const LINK_WRONG = { message: LINK_EXPIRED_MESSAGE } as const

/** A failure that the sign-in wire names. */
export class WireError extends Error {
  readonly code: WireErrorCode
  readonly status: number
  readonly retryAfterSeconds: number | null
  readonly fields: Record<string, string> | null

  constructor(code: WireErrorCode, details: Details) {
    const [status, message] = WIRE_ERRORS[code]
    super(details.message ?? message)
    this.code = code
    this.status = details.status ?? status
    this.retryAfterSeconds = details.retryAfterSeconds ?? null
    this.fields = details.fields ?? null
  }
}

/** @param details where the call at hand has its own words, status or wait */
export function wireError(code: WireErrorCode, details: Details = {}): WireError {
  return new WireError(code, details)
}

/** An address to which no mail can go, or none arrives. @param message of `EMAIL_PROBLEMS` */
export function invalidEmail(message: string): WireError {
  return wireError('email_address_invalid', { message, fields: { email: message } })
}

/** A field that is not as it must be, by its name. @param details.message what is wrong, without what was in it */
export function invalidField(field: string, message: string, details: { status?: number } = {}): WireError {
  return wireError('validation_failed', { ...details, message, fields: { [field]: message } })
}

/** The first version of the wire whose errors carry their code as text. */
const TEXT_CODES_SINCE = '2024-01-01'

/**
 * Answers a failure in the shape that the client's version asks for. The code is sent twice in the new shape: a client
 * on another origin may not be able to read the version header, and then looks for `error_code`.
 */
export function answerWireError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = toWireError(error)
  // A session that refreshes too often is answered 503, since clients end it on anything else; that is no fault of ours.
  if (known.status >= 500 && known.code !== 'over_request_rate_limit') {
    request.log.error({ reason: reasonOf(error), errorCode: known.code }, 'a sign-in request failed')
  }
  if (known.retryAfterSeconds !== null) reply.header('retry-after', String(known.retryAfterSeconds))
  reply.code(known.status).header('x-sb-error-code', known.code)
  const fields = known.fields && { fields: known.fields }
  if (!asksForTextCodes(request)) {
    return reply.send({ code: known.status, error_code: known.code, msg: known.message, ...fields })
  }
  return reply
    .header('x-supabase-api-version', TEXT_CODES_SINCE)
    .send({ code: known.code, error_code: known.code, message: known.message, ...fields })
}

function asksForTextCodes(request: FastifyRequest): boolean {
  const version = request.headers['x-supabase-api-version']
  return typeof version === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= TEXT_CODES_SINCE
}

/** The wire's answer to each refusal of the domain: its code, and where that has them, words and a status of their own. */
export const WIRE_ANSWERS: Record<AuthFaultCode, readonly [code: WireErrorCode, details?: Details]> = {
  account_suspended: ['user_banned'],
  address_returned: [
    'email_address_invalid',
    { message: EMAIL_PROBLEMS.returned, fields: { email: EMAIL_PROBLEMS.returned } },
  ],
  challenge_over: ['mfa_challenge_expired'],
  challenge_unknown: ['mfa_factor_not_found', { status: 422, message: 'MFA challenge not found' }],
  code_wrong: ['otp_expired'],
  exchange_code_expired: ['flow_state_expired'],
  exchange_code_unknown: ['flow_state_not_found'],
  factor_code_wrong: ['mfa_verification_failed'],
  factor_name_taken: ['mfa_factor_name_conflict'],
  factor_unknown: ['mfa_factor_not_found'],
  link_wrong: ['otp_expired', LINK_WRONG],
  metadata_too_large: [
    'validation_failed',
    { message: 'User data is too large', fields: { data: 'User data is too large' } },
  ],
  reauthentication_code_wrong: ['reauthentication_not_valid'],
  reauthentication_needed: ['reauthentication_needed'],
  // All of a refresh that can never succeed are 400: a dead token must not look like an outage, on which clients try again.
  refresh_of_suspended: ['user_banned', { status: 400 }],
  refresh_token_unknown: ['refresh_token_not_found'],
  refresh_token_used: ['refresh_token_already_used'],
  // Clients end their session on every other refusal.
  refreshes_too_often: ['over_request_rate_limit', { status: 503 }],
  second_factor_missing: ['insufficient_aal'],
  second_factor_missing_for_removal: ['insufficient_aal', { status: 422 }],
  second_factor_missing_for_user: ['insufficient_aal', { status: 401 }],
  session_expired: ['session_expired'],
  session_gone: ['session_not_found'],
  too_many_factors: ['too_many_enrolled_mfa_factors'],
  too_many_mails: ['over_email_send_rate_limit'],
  too_many_tries: ['over_request_rate_limit'],
  verifier_wrong: ['bad_code_verifier'],
}

function wireErrorOf({ code, waitSeconds }: AuthFault): WireError {
  const [wireCode, details] = WIRE_ANSWERS[code]
  return wireError(wireCode, {
    ...details,
    ...(waitSeconds !== null && { retryAfterSeconds: waitSeconds }),
    ...(code === 'too_many_mails' && {
      message: `For security purposes, you can only request this after ${waitSeconds} seconds.`,
    }),
  })
}

/** Any failure as the wire names it. */
export function toWireError(error: unknown): WireError {
  if (error instanceof WireError) return error
  if (error instanceof AuthFault) return wireErrorOf(error)
  if (isDatabaseUnavailable(error)) {
    return wireError('unexpected_failure', { status: 503, retryAfterSeconds: 5 })
  }
  const { statusCode = 500, code } = error as FastifyError
  if (code === 'FST_ERR_CTP_INVALID_JSON_BODY') return wireError('bad_json')
  if (statusCode === 429) return wireError('over_request_rate_limit')
  if (statusCode >= 400 && statusCode < 500) return wireError('validation_failed', { status: statusCode })
  return wireError('unexpected_failure', statusCode === 503 ? { status: 503 } : {})
}
