import type { RefusalCode } from './errors.ts'
import { USERNAME_MAX_LENGTH, USERNAME_MIN_LENGTH } from './limits.ts'

/** A username is a path segment and a name on every mail: letters, digits, `_` and `-` after a letter or digit (decision G-21). */
const USERNAME_PATTERN = /^[A-Za-z0-9][A-Za-z0-9_-]*$/

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

/**
 * Checks a username's shape (product.md section 5, decision G-21).
 * @param username trimmed text as typed; case is kept
 * @returns the refusal, or null; whether the name is free only the database knows
 */
export function checkUsername(username: string): RefusalCode | null {
  if (username.length < USERNAME_MIN_LENGTH) return 'username_too_short'
  if (username.length > USERNAME_MAX_LENGTH) return 'username_too_long'
  if (!USERNAME_PATTERN.test(username)) return 'username_invalid'
  return RESERVED_USERNAMES.has(username.toLowerCase()) ? 'username_taken' : null
}

/** Whether a text can be somebody's username at all; reserved names cannot. */
export function isUsername(text: string): boolean {
  return checkUsername(text) === null
}
