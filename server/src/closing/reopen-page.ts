import { BRAND } from '@tradepost/contract/brand'
import { webPaths } from '@tradepost/contract/web-paths'
import { mailPage } from '../platform/http/mail-page.ts'

/** The page of a live link: one button, which gives the account back. @param eraseAt until when (UTC) */
export function askPage(eraseAt: Date): string {
  const until = `${eraseAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`
  return mailPage(
    'Give the account back',
    `<h1>Your ${BRAND} account is closed</h1>
<p>One press gives it back: signing in, your name, your place on the boards and your record. Subscriptions that have ended and positions that were closed stay so.</p>
<form method="post"><button type="submit">Give my account back</button></form>
<p class="quiet">It can be given back until ${until}. Then it is erased.</p>`,
  )
}

export function reopenedPage(): string {
  return mailPage(
    'Done',
    `<h1>Your account is open again</h1>
<p><a href="${webPaths.login}">Sign in</a> as before.</p>`,
  )
}

/** Why a link does nothing. */
export function deadPage(kind: 'unknown' | 'open' | 'newer' | 'over'): string {
  const [title, text] = DEAD[kind]
  return mailPage(title, `<h1>${title}</h1>\n<p>${text}</p>`)
}

const DEAD = {
  unknown: [
    'This link leads nowhere',
    `It may have been cut in two by your mail program. Try to copy the whole link from the mail, or <a href="/">open ${BRAND}</a>.`,
  ],
  open: ['Your account is open', `<a href="${webPaths.login}">Sign in</a> as before.`],
  newer: [
    'There is a newer link',
    'The account was closed again since. The link of the newest mail gives it back.',
  ],
  over: [
    'This account is erased',
    `It could be given back for fourteen days. You can <a href="/">begin anew</a> at any time.`,
  ],
} as const
