import { domainToASCII } from 'node:url'

const EMAIL_MAX_LENGTH = 255
const LOCAL_PART_MAX_LENGTH = 64

/** The address syntax of HTML's e-mail field, with a dot in the domain; no control characters, so none in headers. */
const SYNTAX =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i

/**
 * @param given as typed
 * @returns the one spelling that everything is looked up by, lower case; null when it is no address, or none that mail can go to as it is written
 */
export function normalizeEmail(given: string): string | null {
  const email = spelledAlike(given)
  return email === null || isDomainRewritten(email) ? null : email
}

/**
 * Whether the address has the form of one, and yet mail to it would go elsewhere: what resolves names takes `1.2` for the IPv4
 * address 1.0.0.2 (WHATWG URL, host parsing).
 */
export function hasRewrittenDomain(given: string): boolean {
  const email = spelledAlike(given)
  return email !== null && isDomainRewritten(email)
}

function spelledAlike(given: string): string | null {
  const email = given.trim()
  // Judged before it is lower-cased: a few foreign letters become ASCII ones by that.
  if (email.length > EMAIL_MAX_LENGTH || !SYNTAX.test(email)) return null
  return email.indexOf('@') > LOCAL_PART_MAX_LENGTH ? null : email.toLowerCase()
}

function isDomainRewritten(email: string): boolean {
  const domain = email.slice(email.indexOf('@') + 1)
  return domainToASCII(domain) !== domain
}
