import { LIMITED_MAILS } from '../../mail/outbox/categories.ts'
import { notifyWhileItLasts } from '../../mail/outbox/operator-notices.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import { countUse } from '../../platform/rate-limit.ts'
import { windowOf } from '../../platform/rate-window.ts'
import type { Settings } from '../../platform/settings.ts'
import type { Asker } from '../users/addresses.queries.ts'

/** Above this share only devices that have signed in to the address before get any, and the operator is notified. */
const SHARE_OF_ANYBODY = 0.8
const NOTICE = 'sign-in-mails'

type Limits = Pick<Settings, 'limitsOn' | 'mailLimit'>

/** The places for sign-in mails to all people together, in one window of time. */
type Places = {
  key: string
  /** The window in which an instant lies. */
  start: Date
  end: Date
  /** How many places this kind of client may take: four fifths for anybody, all for known devices. Null for any number. */
  max: number | null
}

/** @param settings.mailLimit mails in ten minutes (AUTH_MAIL_LIMIT) */
export function placesFor({ limitsOn, mailLimit }: Limits, asker: Asker, now: Date): Places {
  const max = asker === 'known device' ? mailLimit : openTo(mailLimit)
  return { key: LIMITED_MAILS.key, ...windowOf(LIMITED_MAILS.windowSeconds, now), max: limitsOn ? max : null }
}

/**
 * Takes the place of a mail that has been queued.
 * @param tx the transaction of the request, which must be given up when there is no place
 * @returns null when there was a place, else the seconds until there are places again
 */
export async function takePlace(
  tx: Queryable,
  of: { asker: Asker; settings: Limits },
  now: Date,
): Promise<number | null> {
  const { max } = placesFor(of.settings, of.asker, now)
  const { count, secondsLeft } = await countUse(tx, LIMITED_MAILS, now)
  if (max !== null && count > max) return secondsLeft
  if (isNearLimit(of.settings, count)) await notifyOperator(tx, of.settings, now)
  return null
}

/** Whether so many mails have a place that the operator is to be notified. */
export function isNearLimit({ limitsOn, mailLimit }: Limits, placed: number): boolean {
  return limitsOn && placed >= openTo(mailLimit)
}

/** Notifies the operator once for as long as it goes on. */
export async function notifyOperator(tx: Queryable, { mailLimit }: Limits, now: Date): Promise<void> {
  await notifyWhileItLasts(tx, NOTICE, notice(openTo(mailLimit), mailLimit), now)
}

function openTo(mailLimit: number): number {
  return Math.floor(mailLimit * SHARE_OF_ANYBODY)
}

function notice(open: number, max: number): { subject: string; text: string } {
  return {
    subject: 'sign-in mails are near their limit',
    text: [
      `${open} of the ${max} sign-in mails that may go out in ten minutes (AUTH_MAIL_LIMIT) have gone. The rest is kept for`,
      'devices that have signed in before; everybody else is asked to try again later, until the ten minutes are over.',
      '',
      'If these are people, raise AUTH_MAIL_LIMIT as far as your mail server lets you. If somebody is flooding the form,',
      '`npm run operator -- audit` shows who asks from where. You get no further mail about it until it has been over for an',
      'hour.',
    ].join('\n'),
  }
}
