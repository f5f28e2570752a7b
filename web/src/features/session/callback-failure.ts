/** The failure of a callback URL. Few addresses are callbacks, so this module is loaded for those alone. */
import { LOGIN_FAILURE_MESSAGE } from '@tradepost/contract/auth'
import { LINK_ERRORS } from '@tradepost/contract/link-errors'
import { parameterOf } from './callback.ts'

/**
 * Errors of the sign-in client that speak of the URL itself: its words for them are the catalogue's (docs/specification.md
 * section 8).
 */
const URL_ERRORS = ['AuthImplicitGrantRedirectError', 'AuthPKCEGrantCodeExchangeError']

/** A code that no browser but the one that asked can trade, opened elsewhere. */
const FOREIGN_CODE_MESSAGE = 'This link works only in the browser that asked for it.'

/**
 * The sentence to show for a callback URL that was rejected (rule G-42): the description that came with it where it is one of the
 * sign-in wire's own, else the sign-in client's message about such a URL (docs/specification.md section 8), else that signing in did
 * not work. Words of the URL's author are never shown.
 * @param url as it was opened
 * @param error what the client made of it, or null. It passes over a code to which it keeps no verifier, and takes one
 *   that it has traded out of the address.
 * @param left the address afterwards
 * @returns null when nothing went wrong
 */
export function callbackFailure(
  url: URL,
  error: { name: string; message: string } | null,
  left: URL,
): string | null {
  const description = parameterOf(url, 'error_description')
  // The client's own words would be the description too.
  if (description) return LINK_ERRORS.includes(description) ? description : LOGIN_FAILURE_MESSAGE
  // A server's answer, or its silence, is no sentence for a person; the client's own words about the URL are.
  if (error) return URL_ERRORS.includes(error.name) ? error.message : LOGIN_FAILURE_MESSAGE
  if (parameterOf(url, 'error')) return LOGIN_FAILURE_MESSAGE
  return parameterOf(left, 'code') ? FOREIGN_CODE_MESSAGE : null
}
