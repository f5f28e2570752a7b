import { BRAND } from './brand.ts'
import type { RefusalCode } from './errors.ts'
import { USERNAME_MAX_LENGTH, USERNAME_MIN_LENGTH } from './limits.ts'

/** Names that nobody may take (rule G-21): routes, roles, words that programs print for "nothing", and the brand. */
const RESERVED_USERNAMES = new Set([
  'account',
  'admin',
  'administrator',
  'anonymous',
  'api',
  'auth',
  'billing',
  'everyone',
  'feedback',
  'false',
  'help',
  'leaderboard',
  'login',
  'logout',
  'mail',
  'me',
  'moderator',
  'nan',
  'new',
  'nobody',
  'null',
  'official',
  'operator',
  'payment',
  'payments',
  'postmaster',
  'profile',
  'root',
  'search',
  'security',
  'settings',
  'staff',
  'stripe',
  'subscribe',
  'subscribers',
  'subscription',
  'subscriptions',
  'support',
  'system',
  'team',
  'trade',
  'tradepost',
  'trader',
  'traders',
  'true',
  'undefined',
  'user',
  'webhooks',
])

/**
 * Reserved names that sound like the product's own staff. A name that is made of reserved words alone is refused when one of
 * them is in this list, such as `trader-support`.
 */
const OFFICIAL_USERNAMES = [
  'admin',
  'administrator',
  'billing',
  'help',
  'moderator',
  'official',
  'operator',
  'postmaster',
  'security',
  'staff',
  'stripe',
  'support',
  'team',
]

/** For each letter, the digits that can be read as it. */
const DIGITS_LIKE: Record<string, string> = {
  a: '4',
  b: '68',
  e: '3',
  g: '69',
  i: '1',
  l: '1',
  o: '0',
  q: '9',
  s: '5',
  t: '7',
  z: '2',
}

/** The source of a regular expression for any of these words, also where digits stand for letters. */
function anyOf(words: Iterable<string>): string {
  const readable = (word: string) =>
    word.replaceAll(/[a-z]/g, (letter) => `[${letter}${DIGITS_LIKE[letter] ?? ''}]`)
  return `(?:${[...words].map(readable).join('|')})`
}

const reserved = anyOf(RESERVED_USERNAMES)
const ONE_RESERVED = new RegExp(`^${reserved}$`)
/** Reserved words alone, one of them from `OFFICIAL_USERNAMES`, with or without a number at the end; or the brand anywhere. */
const SPEAKS_FOR_US = new RegExp(
  `^${reserved}*${anyOf(OFFICIAL_USERNAMES)}${reserved}*\\d*$|${anyOf([BRAND.toLowerCase()])}`,
)

/** Whether people could take a name for the product's own, read without dashes and with digits as letters. */
function isReserved(username: string): boolean {
  const name = username.toLowerCase().replaceAll(/[-_]/g, '')
  if (SPEAKS_FOR_US.test(name)) return true
  // "trader5" is a numbered "trader" and allowed, although its 5 could be read as the s of the reserved "traders".
  const numbered = /^([a-z]+)\d+$/.exec(name)?.[1]
  return ONE_RESERVED.test(name) && !(numbered !== undefined && RESERVED_USERNAMES.has(numbered))
}

/**
 * Checks the characters of a name that is still being typed, of any length. A username is a segment of a path and a
 * name in every mail: letters, digits, `_` and `-`, beginning with a letter or digit (rule G-21).
 * @returns the refusal: of a character that is not allowed, else of `_` or `-` in front; null when all is well
 */
export function checkUsernameLetters(typed: string): 'username_invalid' | 'username_beginning' | null {
  if (!/^[A-Za-z0-9_-]*$/.test(typed)) return 'username_invalid'
  return /^[_-]/.test(typed) ? 'username_beginning' : null
}

/**
 * Checks a username's shape (docs/specification.md section 5, rule G-21).
 * @param username trimmed text as typed; case is kept
 * @returns the refusal, or null for a good shape; only the database knows whether the name is free
 */
export function checkUsername(username: string): RefusalCode | null {
  if (username.length < USERNAME_MIN_LENGTH) return 'username_too_short'
  if (username.length > USERNAME_MAX_LENGTH) return 'username_too_long'
  return checkUsernameLetters(username) ?? (isReserved(username) ? 'username_taken' : null)
}

/**
 * Whether a text can be somebody's username, for look-ups. The reserved names cannot. A name that only resembles them can,
 * since somebody may have taken it before such names were refused.
 */
export function isUsername(text: string): boolean {
  const refused = checkUsername(text)
  return refused === null || (refused === 'username_taken' && !RESERVED_USERNAMES.has(text.toLowerCase()))
}
