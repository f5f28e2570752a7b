import { LIMITED_MAILS } from '../mail/outbox/categories.ts'
import { tellWhileItLasts } from '../mail/outbox/operator-notices.ts'
import type { Queryable } from '../platform/database.ts'
import { countUse } from '../platform/rate-limit.ts'
import type { Asker } from './known-device.ts'

/** Above this share only devices that have signed in to the address before get any, and the operator is told. */
const SHARE_OF_ANYBODY = 0.8
const NOTICE = 'sign-in-mails'

/**
 * Takes the place of a mail that has been queued: a limit counts four fifths for anybody and all of it for known devices.
 * @param tx the transaction of the request, which must be given up when there is no place
 * @param max mails in ten minutes (AUTH_MAIL_LIMIT)
 * @returns null when there was a place, else the seconds until there are places again
 */
export async function takePlace(
  tx: Queryable,
  of: { asker: Asker; max: number },
  now: Date,
): Promise<number | null> {
  const { count, secondsLeft } = await countUse(tx, LIMITED_MAILS, now)
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
