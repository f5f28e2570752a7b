import { BRAND } from '@tradepost/contract/brand'
import { EMAIL_UNDO_HOURS } from '@tradepost/contract/limits'
import { webPaths } from '@tradepost/contract/web-paths'
import { mailPage } from '../../platform/http/mail-page.ts'
import type { DeadEmailUndo } from '../email-change/undo-email-change.ts'

/** The page of a live link: what the link undoes, and one button that does it. */
export function askEmailPage(oldEmail: string): string {
  return mailPage(
    'Undo this change',
    `<h1>Give the account back its old address?</h1>
<p>Sign-in codes and all other mails of the account go to ${shown(oldEmail)} again.</p>
<p>Every session of the account ends. Its recovery codes stop working, and changes of two-step verification that were made since are undone too.</p>
<form method="post"><button type="submit">Undo the change</button></form>`,
  )
}

export function restoredEmailPage(oldEmail: string): string {
  return mailPage(
    'Done',
    `<h1>The account has its old address again</h1>
<p>All sessions of the account have ended. <a href="${webPaths.login}">Sign in again</a> with ${shown(oldEmail)}.</p>
<p class="quiet">If you did not make the change, somebody else could read your e-mail or use your account. Make sure that nobody else can read your e-mail.</p>`,
  )
}

/** Why a link does nothing. */
export function deadEmailPage(kind: DeadEmailUndo): string {
  const [title, text] = DEAD[kind]
  return mailPage(title, `<h1>${title}</h1>\n<p>${text}</p>`)
}

/** An address of the syntax of the contract may hold `&` and `'`, and no brackets. */
function shown(email: string): string {
  return `<b translate="no">${email.replaceAll('&', '&amp;')}</b>`
}

const PROFILE = `<a href="${webPaths.profile}">Account &gt; Profile</a>`
const DEAD = {
  unknown: [
    'This link leads nowhere',
    `It may have been cut in two by your mail program. Try to copy the whole link from the mail, or <a href="/">open ${BRAND}</a>.`,
  ],
  expired: [
    'This link has expired',
    `A change of address can be undone for ${EMAIL_UNDO_HOURS} hours. The present address can still be changed in ${PROFILE}.`,
  ],
  used: ['This change was undone already', `The address of your account is in ${PROFILE}.`],
  overtaken: [
    'This link is out of date',
    `An earlier change of the address was undone, and this one with it. The address of your account is in ${PROFILE}.`,
  ],
  taken: [
    'The old address is in use',
    `Another account has this address now, so it cannot be given back. Sign in with it, or write to us in ${BRAND}.`,
  ],
} as const
