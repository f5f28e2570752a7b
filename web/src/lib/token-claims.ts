/** The claims of an access token; read for display, and for whether it is worth sending. The server checks the token itself. */
type Claims = { aal?: string; exp?: number }

/** @returns no claims for a text that is no token */
export function claimsOf(accessToken: string): Claims {
  try {
    const payload = accessToken.split('.')[1] ?? ''
    return JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as Claims
  } catch {
    return {}
  }
}
