import { type AuthSession, type AuthUser, authSession, authUser } from '@tradepost/contract/auth'
import {
  ACCESS_TOKEN_SECONDS,
  APP_METADATA,
  AUDIENCE,
  signAccessToken,
  unixSeconds,
} from '../auth/keys/access-tokens.ts'
import type { AuthDeps } from '../auth/keys/auth-deps.ts'
import type { SignedIn } from '../auth/sessions/open-session.ts'
import { makeRefreshToken } from '../auth/sessions/refresh-tokens.ts'
import type { FactorRow } from '../auth/users/factors.queries.ts'
import type { Person } from '../auth/users/person.ts'

/** A user as the sign-in wire answers it to them; built by name, never a row passed on. */
export function wireUser({ emailChange, factors, identities, user }: Person, now: Date): AuthUser {
  const change = emailChange && emailChange.expiresAt > now ? emailChange : null
  const confirmedAt = user.email_confirmed_at?.toISOString()
  return authUser.parse({
    id: user.id,
    aud: AUDIENCE,
    role: AUDIENCE,
    email: user.email,
    email_confirmed_at: confirmedAt,
    confirmed_at: confirmedAt,
    new_email: change?.newEmail,
    email_change_sent_at: change?.askedAt.toISOString(),
    phone: '',
    last_sign_in_at: user.last_sign_in_at?.toISOString(),
    app_metadata: APP_METADATA,
    user_metadata: user.user_metadata,
    identities: identities.map((identity) => ({
      identity_id: identity.id,
      id: identity.provider_id,
      user_id: identity.user_id,
      identity_data: identity.identity_data,
      provider: identity.provider,
      email: user.email,
      last_sign_in_at: identity.last_sign_in_at?.toISOString() ?? null,
      created_at: identity.created_at.toISOString(),
      updated_at: identity.updated_at.toISOString(),
    })),
    factors: factors.map(wireFactor),
    created_at: user.created_at.toISOString(),
    updated_at: user.updated_at.toISOString(),
    is_anonymous: false,
  })
}

/** A factor as the wire answers it: never its secret. */
function wireFactor(factor: FactorRow): AuthUser['factors'][number] {
  return {
    id: factor.id,
    factor_type: factor.factor_type === 'phone' ? 'phone' : 'totp',
    status: factor.status === 'verified' ? 'verified' : 'unverified',
    friendly_name: factor.friendly_name,
    phone: factor.phone ?? '',
    last_challenged_at: factor.last_challenged_at?.toISOString() ?? null,
    created_at: factor.created_at.toISOString(),
    updated_at: factor.updated_at.toISOString(),
  }
}

/** The newest pair of tokens of a session, with its user as they are now (clients refresh their copy from here). */
export async function wireSession(deps: AuthDeps, parts: SignedIn, now: Date): Promise<AuthSession> {
  const { session, user } = parts
  const accessToken = await signAccessToken(
    deps,
    {
      userId: user.id,
      sessionId: session.id,
      generation: session.refresh_counter,
      email: user.email,
      aal: session.aal,
      amr: session.amr,
    },
    now,
  )
  return authSession.parse({
    access_token: accessToken,
    token_type: 'bearer',
    expires_in: ACCESS_TOKEN_SECONDS,
    expires_at: unixSeconds(now) + ACCESS_TOKEN_SECONDS,
    refresh_token: makeRefreshToken(deps.secret, { sessionId: session.id, counter: session.refresh_counter }),
    user: wireUser(parts, now),
  })
}
