import { type MailCategory, type MailKind, mails, type Silenced } from '@tradepost/emails/render'
import type { MailTopic } from '../../platform/return-path.ts'
import { backOff, SLOWING } from '../../work/back-off.ts'

/** Each lane has its connections to the mail server, so that mails that fill one delay none of the other. */
export const LANES = ['sign-in', 'other'] as const
export type Lane = (typeof LANES)[number]

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/** How long a mail that the server does not take is tried again. A code that comes later than this comes too late. */
const SIGN_IN_MS = 4 * MINUTE_MS
const OTHER_MS = 4 * DAY_MS

type Terms = {
  lane: Lane
  triedForMs: number
  /** Has a place among the mails that AUTH_MAIL_LIMIT allows. */
  limited: boolean
  /** The topic that a report gives it. A mail of an account is judged as one of money is, and `mail_reports` has no topic of its own for it. */
  topic: MailTopic
  /** Given up once it is refused for good. The operator's address is a setting instead, which the operator mends. */
  refusable: boolean
}

/** How the mails of each category are sent. */
const CATEGORIES: Readonly<Record<MailCategory, Terms>> = {
  'sign-in': { lane: 'sign-in', triedForMs: SIGN_IN_MS, limited: true, topic: 'sign-in', refusable: true },
  security: { lane: 'other', triedForMs: OTHER_MS, limited: false, topic: 'security', refusable: true },
  account: { lane: 'other', triedForMs: OTHER_MS, limited: false, topic: 'money', refusable: true },
  money: { lane: 'other', triedForMs: OTHER_MS, limited: false, topic: 'money', refusable: true },
  positions: { lane: 'other', triedForMs: OTHER_MS, limited: false, topic: 'positions', refusable: true },
  operator: { lane: 'other', triedForMs: OTHER_MS, limited: false, topic: 'operator', refusable: false },
}

/** Whether this version knows a kind of mail: those of a newer one wait for its worker. */
export function isMailKind(kind: string): kind is MailKind {
  return Object.hasOwn(mails, kind)
}

export function termsOf(kind: MailKind): Terms {
  return CATEGORIES[mails[kind].category]
}

export function isWithheldFrom(kind: MailKind, silenced: Silenced): boolean {
  return mails[kind].withheldFrom.includes(silenced)
}

/**
 * Sign-in mails of the whole product, counted in `rate_limits`: the limit bounds the cost of floods of addresses, and protects the sender's
 * reputation. A mail has a place among them from its request until it has gone; a place whose mail does not go is given
 * back, so the count is that of mails really sent.
 */
export const LIMITED_MAILS = { key: 'auth:mails', windowSeconds: 600 }

/** @param tries so far, at least 1 @returns milliseconds until the next one */
export function retryPause(tries: number): number {
  return backOff(SLOWING, tries)
}
