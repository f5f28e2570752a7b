const EMAIL_MAX_LENGTH = 255
const LOCAL_PART_MAX_LENGTH = 64

/** The address syntax of HTML's e-mail field, with a dot in the domain; no control characters, so none in headers. */
const SYNTAX =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i

/**
 * @param given as typed
 * @returns the one spelling that everything is looked up by, lower case; null when it is no address
 */
export function normalizeEmail(given: string): string | null {
  const email = given.trim()
  // Judged before it is lower-cased: a few foreign letters become ASCII ones by that.
  if (email.length > EMAIL_MAX_LENGTH || !SYNTAX.test(email)) return null
  return email.indexOf('@') > LOCAL_PART_MAX_LENGTH ? null : email.toLowerCase()
}
