import { BRAND } from '@tradepost/contract/brand'
import type { Leaving } from '@tradepost/contract/leaving'
import { beforePressing, cancelStep, type LeavingStep, withdrawStep } from '@tradepost/contract/leaving-words'
import { returnedPart } from '@tradepost/contract/returned-part'
import { webPaths } from '@tradepost/contract/web-paths'
import { mailPage } from '../../platform/http/mail-page.ts'
import type { Settings } from '../../platform/settings.ts'
import type { Withdrawn } from './withdraw.ts'

const SUBSCRIPTIONS = `<a href="${webPaths.account}#subscriptions">Account &gt; Subscriptions</a>`
const SIGNED_IN = `Signed in, the same is under ${SUBSCRIPTIONS}.`

/** The page of a footer's link: one button, which mails the way out. @param trader their name, letters and digits alone */
export function askPage(trader: string): string {
  return mailPage(
    'Cancel or withdraw',
    `<h1>Leave ${nameOf(trader)}?</h1>
<p>We mail a link to the address of the account that pays. With it the subscription is canceled, or withdrawn from, without signing in.</p>
<form method="post"><button type="submit">Mail me the link</button></form>
<p class="quiet">Nothing ends yet. ${SIGNED_IN}</p>`,
  )
}

/** Behind that press. @param again from when on another one can be mailed; null where this one is on its way */
export function sentPage(again: Date | null): string {
  const [title, text] =
    again === null
      ? [
          'The link is on its way',
          'It goes to the address of the account that pays. It works for an hour, and once.',
        ]
      : [
          'A link has been mailed already',
          `Look for the newest mail at the address of the account that pays. Another one can be sent from ${utc(again.toISOString())} on.`,
        ]
  return mailPage(
    title,
    `<h1>${title}</h1>\n<p>${text}</p>\n<p class="quiet">Nothing has ended yet. ${SIGNED_IN}</p>`,
  )
}

/**
 * The page of the mailed link: both ways out, each with its result in one line; opened further, with all that it does and the button.
 * @param path of this link
 */
export function leavingPage(
  path: string,
  trader: string,
  leaving: Leaving,
  { returnEmptyMonths }: Pick<Settings, 'returnEmptyMonths'>,
): string {
  const shown = { time: utc, day: utcDay, returnsEmptyMonths: returnEmptyMonths }
  const withdraw = leaving.withdrawal === null ? null : withdrawStep(leaving, shown)
  const cancel = cancelStep(leaving, shown)
  const asOf = encodeURIComponent(leaving.asOf)
  return mailPage(
    'Cancel or withdraw',
    `<h1>Leave ${nameOf(trader)}</h1>
<p>${opening(withdraw ? [withdraw, cancel] : [cancel])}</p>
${withdraw ? wayOut('Withdraw…', withdraw, `${path}/withdraw?asOf=${asOf}`) : ''}
${wayOut(leaving.inTrial ? 'End trial…' : 'Cancel…', cancel, `${path}/cancel`)}
<p class="quiet">This link works once. ${SIGNED_IN}</p>`,
  )
}

/** The buttons are behind what is opened first. */
function opening(ways: readonly LeavingStep[]): string {
  const buttons = ways.filter(({ button }) => button !== null).length
  const open =
    buttons === 0 ? '' : buttons === 1 ? 'Open it to see what it does. ' : 'Open one to see what it does. '
  return `${open}${beforePressing(ways)}`
}

/** A way without a button needs no second step. */
function wayOut(name: string, { button, short, words }: LeavingStep, action: string): string {
  const paragraphs = words.map((one) => `<p>${one.replaceAll('>', '&gt;')}</p>`).join('\n')
  if (button === null) return paragraphs
  return `<details>
<summary><span>${name}</span> <span class="quiet">${short}</span></summary>
${paragraphs}
<form method="post" action="${action}"><button type="submit">${button}</button></form>
</details>`
}

export function canceledPage(trader: string, endsAt: string): string {
  return mailPage(
    'Canceled',
    `<h1>Your subscription to ${nameOf(trader)} is canceled</h1>
<p>It ends on ${utc(endsAt)}. Nothing more is charged. A mail confirms it.</p>
<p class="quiet">Until it ends you can take that back under ${SUBSCRIPTIONS}.</p>`,
  )
}

export function withdrawnPage(trader: string, withdrawn: Withdrawn): string {
  return mailPage(
    'Withdrawn',
    `<h1>You have withdrawn from ${nameOf(trader)}</h1>
<p>${backWords(withdrawn)} Your access has ended, and a mail confirms it.</p>
<p class="quiet">How far the money is stands under ${SUBSCRIPTIONS}.</p>`,
  )
}

function backWords(withdrawn: Withdrawn): string {
  if (withdrawn.returnsCents === 0) return 'Nothing is returned: all that you paid has gone back before.'
  return `You get back ${returnedPart(withdrawn)}, to the card that paid it. Banks take up to ten days to show it.`
}

/** Why a press did nothing, although the link is live. */
export function refusedPage(): string {
  return mailPage(
    'Nothing was changed',
    `<h1>Nothing was changed</h1>
<p>This is not possible any more, or not yet. Open the link in the mail again: it shows what is possible now. ${SIGNED_IN}</p>`,
  )
}

/** Why a link does nothing. */
export function deadPage(kind: keyof typeof DEAD): string {
  const [title, text] = DEAD[kind]
  return mailPage(title, `<h1>${title}</h1>\n<p>${text}</p>`)
}

const DEAD = {
  unknown: [
    'This link leads nowhere',
    `It may have been cut in two by your mail program. Try to copy the whole link from the mail, or <a href="/">open ${BRAND}</a>. Signed in, you can leave under ${SUBSCRIPTIONS}.`,
  ],
  expired: [
    'This link has expired',
    `It worked for 400 days. The newest mail about the trader has another one. Signed in, you can leave under ${SUBSCRIPTIONS}.`,
  ],
  late: [
    'This link has expired',
    `It worked for an hour, and nothing was changed. Press “Cancel or withdraw” in any mail about the trader to get another one. ${SIGNED_IN}`,
  ],
  used: [
    'This link was used',
    `It works once. How your subscription stands is under ${SUBSCRIPTIONS}, and in the mail that confirms it.`,
  ],
  moved: [
    'This link works no more',
    `The account has another address since it was mailed. Nothing was changed. Press “Cancel or withdraw” in any mail about the trader to get a link at the present address. ${SIGNED_IN}`,
  ],
  ended: [
    'This subscription has ended',
    `There is nothing left to cancel, and nothing more is charged. Money that comes back is listed under ${SUBSCRIPTIONS}.`,
  ],
  newer: [
    'This subscription has ended',
    `You have a newer one to the same trader, which this link does not end. Press “Cancel or withdraw” in any mail about the trader to get a link for it. Signed in, it is under ${SUBSCRIPTIONS}.`,
  ],
  closed: ['This account is closed', 'Its subscriptions have ended, and nothing more is charged.'],
} as const

/** Names have letters, digits and a few signs (`isUsername`): nothing to escape. A trader who has left has none. */
function nameOf(trader: string): string {
  return trader === '' ? 'this trader' : `<span translate="no">@${trader}</span>`
}

const DATE = { month: 'long', day: 'numeric', year: 'numeric', timeZone: 'UTC' } as const
const dateFormat = new Intl.DateTimeFormat('en-US', DATE)
const dayFormat = new Intl.DateTimeFormat('en-US', { month: 'long', day: 'numeric', timeZone: 'UTC' })
/** `December 26, 2026, 15:04 UTC`. */
function utc(at: string): string {
  return `${dateFormat.format(new Date(at))}, ${at.slice(11, 16)} UTC`
}
function utcDay(at: string): string {
  return dayFormat.format(new Date(at))
}
