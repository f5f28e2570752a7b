/**
 * The words of the sign-in wire that both sides use (GoTrue's, as @supabase/auth-js speaks it). The browser reads the
 * answers through auth-js; the server checks what it sends against these shapes.
 */
import * as z from 'zod/mini'

/** An instant as ISO 8601 in UTC. */
const instant = z.string()
const metadata = z.record(z.string(), z.unknown())

/** A way in that a user has proved; the only provider is the mailed code. */
const authIdentity = z.object({
  identity_id: z.string(),
  /** The provider's name for the user; for e-mail the user's own id. */
  id: z.string(),
  user_id: z.string(),
  identity_data: metadata,
  provider: z.string(),
  email: z.string(),
  last_sign_in_at: z.nullable(instant),
  created_at: instant,
  updated_at: instant,
})

const authFactor = z.object({
  id: z.string(),
  factor_type: z.enum(['totp', 'phone']),
  status: z.enum(['verified', 'unverified']),
  friendly_name: z.optional(z.string()),
  phone: z.optional(z.string()),
  last_challenged_at: z.optional(z.nullable(instant)),
  created_at: z.optional(instant),
  updated_at: z.optional(instant),
})

/** GET /auth/v1/user, and the `user` of every session (docs/specification.md section 3). */
export const authUser = z.object({
  id: z.string(),
  aud: z.string(),
  role: z.string(),
  email: z.string(),
  email_confirmed_at: z.optional(instant),
  confirmed_at: z.optional(instant),
  /** The address of a change that is not finished, and when it was asked for (rule G-119). */
  new_email: z.optional(z.string()),
  email_change_sent_at: z.optional(instant),
  phone: z.string(),
  last_sign_in_at: z.optional(instant),
  app_metadata: metadata,
  user_metadata: metadata,
  identities: z.array(authIdentity),
  factors: z.array(authFactor),
  created_at: instant,
  updated_at: instant,
  is_anonymous: z.boolean(),
})
export type AuthUser = z.infer<typeof authUser>

/** POST /auth/v1/verify and /token. */
export const authSession = z.object({
  access_token: z.string(),
  token_type: z.literal('bearer'),
  /** Seconds. */
  expires_in: z.number(),
  /** Unix seconds. */
  expires_at: z.number(),
  refresh_token: z.string(),
  user: authUser,
})
export type AuthSession = z.infer<typeof authSession>

/** POST /auth/v1/verify of a change of address (rule G-119) when one code of the two was right and the other is still to come. */
export const FIRST_CODE_ACCEPTED = {
  code: '200',
  msg: 'Confirmation link accepted. Please proceed to confirm link sent to the other email',
} as const

/** POST /auth/v1/link: whose link this is, before anyone presses Sign in (rule G-03). */
export const linkPayload = z.object({ token_hash: z.string() })
export const linkAnswer = z.object({ email: z.string() })

/**
 * POST /auth/v1/returned: whether the mail that this page asked for has come back (ADR 0091). The code challenge, which the page made up
 * and nobody else knows, proves that this page asked.
 */
export const returnedPayload = z.object({ email: z.string(), code_challenge: z.string() })
export const returnedAnswer = z.object({ returned: z.boolean() })

/**
 * The header that identifies a known device at the next sign-in to the same address (rule G-04): the server sends it with a successful
 * sign-in, the browser keeps it and sends it along when it asks for a code or tries one, of a second factor too (ADR 0083).
 */
export const KNOWN_DEVICE_HEADER = 'x-known-device'

/** Shown for every failure to send or verify a code, whatever the answer was (docs/specification.md section 8). */
export const LOGIN_FAILURE_MESSAGE = "It looks like that didn't work."
