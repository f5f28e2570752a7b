// Browsers and Node have it, and the types of neither are known here.
declare const URL: new (address: string) => { hostname: string }

const EMAIL_MAX_LENGTH = 255
const LOCAL_PART_MAX_LENGTH = 64
/** Nobody sees an address in more. */
const TYPED_MAX_LENGTH = 1000

/** The address syntax of HTML's e-mail field, with a dot in the domain; no control characters, so none in headers. */
const SYNTAX =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i
/**
 * Characters that are drawn as nothing. Between letters of some scripts one joins or parts them, and the domain is another one without it.
 */
const INVISIBLE =
  /(?<=[^\0-\x7f\p{Format}\p{Default_Ignorable_Code_Point}])([\u200c\u200d])(?=[^\0-\x7f\p{Format}\p{Default_Ignorable_Code_Point}])|[\p{Format}\p{Default_Ignorable_Code_Point}]/gu
/** Full-width forms of ASCII, and what else is drawn as an at sign or a dot. */
const WIDE = /[\uff01-\uff5e]/g
const WIDE_OFFSET = 0xfee0
const AT_SIGNS = /\ufe6b/g
const DOTS = /[\u3002\uff61]/g
/** Of one line: an address with a line break in it is two things. */
const BLANK = '[^\\S\\r\\n]'
const AROUND_AT = new RegExp(`${BLANK}*@${BLANK}*`, 'g')
const AROUND_DOT = new RegExp(`${BLANK}*\\.${BLANK}*`, 'g')
/** As mail programs copy it: with the name of its owner before it. */
const BEHIND_A_NAME = /<([^<>]*)>[^<>@]*$/
/** Characters that a sentence, a list or a bracket leaves behind and before an address. No domain ends so. */
const BEHIND = /[\s.,;:!?、"'’”»)\]}>]+$/
const BEFORE = /^[\s,;"“„‘«(<[]+/
/** These may begin an address, unless their other half stands behind it. */
const BEFORE_ITS_HALF = /^['{]+/
/** In a domain these would end it, or begin something else of a web address. */
const NO_DOMAIN = /[\s\p{Control}/?#\\@[\]:%<>|^]/u
const BEYOND_ASCII = /[^\0-\x7f]/

/** Why no mail arrives at the typed address: in the answer of the sign-in wire, and on the line below the sentence of a failed sign-in. */
export const EMAIL_PROBLEMS = {
  /** Of the mailbox alone: whether somebody has an account with it is disclosed to nobody (ADR 0091). */
  returned: 'Mails to this address come back. Is it spelled right?',
  local_part: 'Mails can go only to an address with plain letters, without accents, before the @.',
  domain: 'Mail cannot be sent to this domain',
} as const

/**
 * @param given as typed or pasted
 * @returns the one spelling that everything is looked up by: lower case, an international domain as A-labels (RFC 5891); null when it
 *   is no address, or none that mail can go to as it is written
 */
export function normalizeEmail(given: string): string | null {
  const email = spelledAlike(given)
  return email === null || isDomainRewritten(email) ? null : email
}

/**
 * The fault of an address that has the form of one: its local part is not of ASCII, which few mail servers take (RFC 6531); or a resolver
 * of names takes its domain for another one, as `1.2` for the IPv4 address 1.0.0.2 (WHATWG URL, host parsing).
 * @returns one of `EMAIL_PROBLEMS`; null for one that is in order, and for a text that has not the form of an address
 */
export function emailProblem(given: string): string | null {
  const email = spelledAlike(given)
  if (email !== null) return isDomainRewritten(email) ? EMAIL_PROBLEMS.domain : null
  const { local, domain } = partsOf(seenEmail(given))
  const isForeign = BEYOND_ASCII.test(local) && !/[\s\p{Control}]/u.test(local)
  return isForeign && spelledAlike(`a@${domain}`) !== null ? EMAIL_PROBLEMS.local_part : null
}

/**
 * A typed or pasted address as a person sees it, without what came along with it: invisible characters, full-width forms, blanks, a
 * name or `mailto:` before it, brackets and marks around it. The domain stays in the letters it was typed in.
 */
export function seenEmail(given: string): string {
  const seen = given
    .slice(0, TYPED_MAX_LENGTH)
    .replaceAll(INVISIBLE, '$1')
    .replaceAll(WIDE, (wide) => String.fromCharCode(wide.charCodeAt(0) - WIDE_OFFSET))
    .replaceAll(AT_SIGNS, '@')
    .replaceAll(DOTS, '.')
  const named = BEHIND_A_NAME.exec(seen)?.[1] ?? seen
  const bare = outOfLink(withoutMarks(named)).replaceAll(AROUND_AT, '@')
  const { local, domain } = partsOf(bare)
  return domain === '' ? bare : `${local}@${domain.replaceAll(AROUND_DOT, '.')}`
}

function withoutMarks(text: string): string {
  const opened = text.replace(BEFORE, '')
  const behind = BEHIND.exec(opened)?.[0] ?? ''
  const bare = opened.slice(0, opened.length - behind.length)
  return /['’}]/.test(behind) ? bare.replace(BEFORE_ITS_HALF, '') : bare
}

/** The address of a `mailto:` link (RFC 6068). */
function outOfLink(text: string): string {
  const link = /^mailto:([^?]*)/i.exec(text)?.[1]
  if (link === undefined) return text
  try {
    return withoutMarks(decodeURIComponent(link))
  } catch {
    return link
  }
}

function partsOf(email: string): { local: string; domain: string } {
  const at = email.lastIndexOf('@')
  return at < 0 ? { local: email, domain: '' } : { local: email.slice(0, at), domain: email.slice(at + 1) }
}

function spelledAlike(given: string): string | null {
  const { local, domain: seen } = partsOf(seenEmail(given))
  // In other forms of ASCII, as `①.②`, a domain is the same one.
  const domain = seen.normalize('NFKC')
  const email = `${local}@${BEYOND_ASCII.test(domain) ? toAscii(domain) : domain}`
  // Judged before it is lower-cased: a few foreign letters become ASCII ones by that.
  if (email.length > EMAIL_MAX_LENGTH || !SYNTAX.test(email)) return null
  return local.length > LOCAL_PART_MAX_LENGTH ? null : email.toLowerCase()
}

function isDomainRewritten(email: string): boolean {
  const { domain } = partsOf(email)
  return toAscii(domain) !== domain
}

/** A domain as names are resolved by (UTS 46); empty for a text that cannot be one. */
function toAscii(domain: string): string {
  if (NO_DOMAIN.test(domain)) return ''
  try {
    return new URL(`http://${domain}`).hostname
  } catch {
    return ''
  }
}
