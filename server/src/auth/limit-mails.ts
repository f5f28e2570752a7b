import type { Queryable } from '../platform/database.ts'
import { tellWhileItLasts } from '../platform/operator-notices.ts'
import { countUse, windowOf } from '../platform/rate-limit.ts'
import type { Asker } from './known-device.ts'

/**
 * Sign-in mails of the whole product: what floods of addresses can cost, and no more than a sender's name survives. A mail has
 * a place among them from its request until it has gone; a place whose mail does not go is given back, so the count is that
 * of mails really sent.
 */
export const MAILS_OF_ALL = { key: 'auth:mails', windowSeconds: 600 }
/** Above this share only devices that have signed in to the address before get any, and the operator is told. */
const SHARE_OF_ANYBODY = 0.8
const NOTICE = 'sign-in-mails'

/** The window in which a mail that is asked for now has its place. */
export function placeNow(now: Date): Date {
  return windowOf(MAILS_OF_ALL.windowSeconds, now).start
}

/**
 * Takes a place for a mail: a limit counts four fifths for anybody and all of it for known devices.
 * @param tx the transaction of the request, which must be given up when there is no place
 * @param max mails in ten minutes (AUTH_MAIL_LIMIT)
 * @returns null when there was a place, else the seconds until there are places again
 */
export async function takePlace(
  tx: Queryable,
  of: { asker: Asker; max: number },
  now: Date,
): Promise<number | null> {
  const { count, secondsLeft } = await countUse(tx, MAILS_OF_ALL, now)
  const open = Math.floor(of.max * SHARE_OF_ANYBODY)
  if (count > (of.asker === 'known device' ? of.max : open)) return secondsLeft
  if (count >= open) await tellWhileItLasts(tx, NOTICE, notice(open, of.max), now)
  return null
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
