/** In the words of the sign-in wire, which answers a link that was used or is too old with them. */
export const LINK_EXPIRED_MESSAGE = 'Email link is invalid or has expired'

/**
 * Errors of the sign-in wire that a link can end in. An address that comes back from a link
 * is text that anybody can write, so these alone are shown as the product's own (rule G-42).
 */
export const LINK_ERRORS: readonly string[] = [
  LINK_EXPIRED_MESSAGE,
  'Token has expired or is invalid',
  'User is banned',
  'Request rate limit reached',
]
