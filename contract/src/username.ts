import { BRAND } from './brand.ts'
import type { RefusalCode } from './errors.ts'
import { USERNAME_MAX_LENGTH, USERNAME_MIN_LENGTH } from './limits.ts'

/** Names nobody may take: routes, roles, words a program prints for "nothing", and the brand. */
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

/** Reserved names that speak for the product: nor may they be a word of a name whose other words are reserved too. */
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

/** What a digit can be read as, by the letter. */
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

/** A pattern of these words, in which digits may stand for letters. */
function anyOf(words: Iterable<string>): string {
  const readable = (word: string) =>
    word.replaceAll(/[a-z]/g, (letter) => `[${letter}${DIGITS_LIKE[letter] ?? ''}]`)
  return `(?:${[...words].map(readable).join('|')})`
}

const reserved = anyOf(RESERVED_USERNAMES)
const ONE_RESERVED = new RegExp(`^${reserved}$`)
/** Reserved names with one among them that speaks for the product, numbered or not; or the brand anywhere. */
const SPEAKS_FOR_US = new RegExp(
  `^${reserved}*${anyOf(OFFICIAL_USERNAMES)}${reserved}*\\d*$|${anyOf([BRAND.toLowerCase()])}`,
)

/** Whether people could take a name for the product's own, read without dashes and with digits as letters. */
function isReserved(username: string): boolean {
  const name = username.toLowerCase().replaceAll(/[-_]/g, '')
  if (SPEAKS_FOR_US.test(name)) return true
  // "trader5" is the fifth of them and not "traders".
  const numbered = /^([a-z]+)\d+$/.exec(name)?.[1]
  return ONE_RESERVED.test(name) && !(numbered !== undefined && RESERVED_USERNAMES.has(numbered))
}

/**
 * The letters of a name that is still being typed, however long: what is wrong with them, or null. A username is a path
 * segment and a name on every mail: letters, digits, `_` and `-` after a letter or digit (decision G-21).
 */
export function checkUsernameLetters(typed: string): 'alphabet' | 'beginning' | null {
  if (!/^[A-Za-z0-9_-]*$/.test(typed)) return 'alphabet'
  return /^[_-]/.test(typed) ? 'beginning' : null
}

/**
 * Checks a username's shape (docs/specification.md section 5, decision G-21).
 * @param username trimmed text as typed; case is kept
 * @returns the refusal, or null; whether the name is free only the database knows
 */
export function checkUsername(username: string): RefusalCode | null {
  if (username.length < USERNAME_MIN_LENGTH) return 'username_too_short'
  if (username.length > USERNAME_MAX_LENGTH) return 'username_too_long'
  if (checkUsernameLetters(username) !== null) return 'username_invalid'
  return isReserved(username) ? 'username_taken' : null
}

/**
 * Whether a text can be somebody's username at all. The reserved names themselves cannot; one that only reads like them
 * is somebody's who took it before that was refused.
 */
export function isUsername(text: string): boolean {
  const refused = checkUsername(text)
  return refused === null || (refused === 'username_taken' && !RESERVED_USERNAMES.has(text.toLowerCase()))
}
