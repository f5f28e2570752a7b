/**
 * The numbers of the product (docs/specification.md sections 5 and 9). Each carries its unit in its name; the screen that
 * shows a limit and the server that enforces it read the same constant.
 */
import type { RefusalCode } from './errors.ts'
import { keptText } from './kept-text.ts'

export const NOTES_MIN_LENGTH = 10
export const NOTES_MAX_LENGTH = 500
export const FEEDBACK_MIN_LENGTH = 10
export const FEEDBACK_MAX_LENGTH = 500
export const USERNAME_MIN_LENGTH = 3
export const USERNAME_MAX_LENGTH = 15
/** Of what a trader says about themselves. */
export const ABOUT_MAX_LENGTH = 160
export const SEARCH_MIN_LENGTH = 3
export const LOGIN_EMAIL_MIN_LENGTH = 5

/** How long the two secrets of a sign-in mail live (rule G-04); the mail contains it, the server keeps it. */
export const CODE_LIFE_MINUTES = 10
export const LINK_LIFE_MINUTES = 30

/** Changing the second step of signing in asks for a mailed code when the last one was given longer ago (ADR 0031). */
export const SIGN_IN_FRESH_MINUTES = 5

/** Recovery codes that are made at a time, and all that there are (ADR 0031). */
export const RECOVERY_CODES_COUNT = 10

/** Wrong codes of a second step after which no more are looked at, until the first of them is so old (ADR 0083). */
export const FACTOR_TRIES_COUNT = 10
export const FACTOR_TRIES_MINUTES = 15

/** How long the link in the mail about a changed second factor undoes the change (ADR 0031). */
export const FACTOR_UNDO_HOURS = 72

/** The link to a file of one's data: how long it counts, how many are made in a day, how often each is begun (ADR 0122). */
export const EXPORT_LINK_MINUTES = 60
export const EXPORTS_A_DAY = 3
export const EXPORT_BEGINS_MAX_COUNT = 3
/** A change of address that is not finished by then is off, and the link in its mail takes a finished one back for so long (rule G-119). */
export const EMAIL_CHANGE_MINUTES = 60
export const EMAIL_UNDO_HOURS = 72

/** Devices with notifications that a person has at most, and how long the address of one may be (ADR 0063). */
export const PUSH_DEVICES_MAX_COUNT = 10
export const PUSH_ENDPOINT_MAX_LENGTH = 1024
/** An older event wakes nobody: its notification is not sent any more (ADR 0063). */
export const PUSH_LIFE_HOURS = 2

/** Cheaper shares move by whole percents at a tick, so that nobody opens a position in one (ADR 0075), in US dollars. */
const OPEN_PRICE_MIN_DOLLARS = 1

/** A list never holds more rows than these; own positions are never cut (rule G-66). */
export const POSITIONS_MAX_COUNT = 500
export const LEADERBOARD_MAX_COUNT = 100
/** Beyond the list places are counted, so far and no farther (ADR 0055). */
export const RANKS_MAX_COUNT = 10_000
export const LATEST_POSITIONS_COUNT = 10
/** Of a trader's open positions past their plan, on the profile. */
export const PAST_PLAN_MAX_COUNT = 50
/** Traders who are offered at once to somebody who looks for one (ADR 0038). */
export const SUGGESTIONS_MAX_COUNT = 6
/** Of a trader's closed positions, in a page of the list of all. */
export const CLOSED_PAGE_COUNT = 25
/** Of Activity, in a page. */
export const ACTIVITY_PAGE_COUNT = 25
/** Beyond so many, the number of unread items means nothing more (ADR 0062). */
export const ACTIVITY_UNREAD_MAX_COUNT = 100
/** Of a trader's events whose mails the desk shows. */
export const MAILINGS_COUNT = 5
/** Fewer closed positions are no measure of how many win, fewer ended plans none of how many are kept (ADR 0052). */
export const WINS_MIN_CLOSED_COUNT = 5
export const PLANS_MIN_ENDED_COUNT = 3
/** A fall of fewer days with open positions means nothing (ADR 0054). */
export const DRAWDOWN_MIN_DAYS = 20
/** Closed positions that a curve marks at most. */
export const TRACK_CLOSES_MAX_COUNT = 2000
/** A trader is ranked from this many closed positions on (rule G-34). */
export const LEADERBOARD_MIN_CLOSED_COUNT = 1
/** The best traders on the landing page, and how many have to be ranked before it shows any (rule G-108). */
export const BOARD_TRADERS_COUNT = 5
export const BOARD_MIN_RANKED_COUNT = 3

const MINUTE_MS = 60_000
export const ACCOUNT_FRESH_MS = 10 * MINUTE_MS
export const CUSTOMER_FRESH_MS = 10 * MINUTE_MS
export const PAYOUT_STATUS_FRESH_MS = 10 * MINUTE_MS
export const PROFILE_FRESH_MS = 10 * MINUTE_MS
export const SUBSCRIPTIONS_FRESH_MS = 10 * MINUTE_MS
export const SUBSCRIPTION_CHECK_FRESH_MS = 5 * MINUTE_MS
export const POSITIONS_FRESH_MS = 5 * MINUTE_MS
export const LEADERBOARD_FRESH_MS = 20 * MINUTE_MS
/** Toasts of the main screens: /, /trade, /leaderboard, /search, /trader (rule G-57). */
export const MAIN_SCREEN_TOAST_MS = 3000

/** Bodies of the product API and of webhooks; all others have the limit of the HTTP server (section 3.1). */
export const API_BODY_MAX_BYTES = 16 * 1024
export const WEBHOOK_BODY_MAX_BYTES = 1024 * 1024

/**
 * Checks open or close notes as the server will (docs/specification.md section 5).
 * @param notes the raw text; both bounds judge what is kept of it, in UTF-16 units as the counter shows them
 * @returns the refusal, or null when the notes may be sent
 */
export function checkNotes(notes: string): RefusalCode | null {
  const { length } = keptText(notes)
  if (length < NOTES_MIN_LENGTH) return 'notes_too_short'
  return length > NOTES_MAX_LENGTH ? 'notes_too_long' : null
}

/** Whether a position may not be opened at a price. @param price decimal text, US dollars */
export function isTooLowToOpen(price: string): boolean {
  return Number(price) < OPEN_PRICE_MIN_DOLLARS
}

/** Checks feedback; same bounds as notes (docs/specification.md section 9). */
export function checkFeedback(feedback: string): RefusalCode | null {
  const { length } = keptText(feedback)
  return length < FEEDBACK_MIN_LENGTH || length > FEEDBACK_MAX_LENGTH ? 'feedback_length' : null
}

/** Checks what a trader says about themselves. @param about as typed; what is kept of it is judged, and may be empty */
export function checkAbout(about: string): RefusalCode | null {
  return keptText(about).length > ABOUT_MAX_LENGTH ? 'about_too_long' : null
}

/** Of an id as text (RFC 9562, 4). */
export const UUID_LENGTH = 36
