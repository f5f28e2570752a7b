import { BRAND } from '@tradepost/contract/brand'
import { webPaths } from '@tradepost/contract/web-paths'
import { mailPage } from '../../platform/http/mail-page.ts'

/** @param trader username, or null for a trader without one */
export function confirmPage(trader: string | null): string {
  const name = nameOf(trader)
  return mailPage(
    `Stop mails about ${name}`,
    `<h1>Stop mails about ${name}?</h1>
<p>You will get no more mails when ${name} opens or closes a position. Your subscription goes on, and the positions stay visible on your home page.</p>
<div class="ways">
<form method="post"><button type="submit">Stop these mails</button></form>
<a href="${webPaths.home}">Keep them</a>
</div>`,
  )
}

export function donePage(trader: string | null): string {
  const name = nameOf(trader)
  return mailPage(
    'Done',
    `<h1>Done: no more mails about ${name}</h1>
<p>Your subscription goes on, and the positions stay visible on your <a href="/">home page</a>.</p>
<p>You can start them again under <a href="${webPaths.subscriptions}">Account &gt; Subscriptions</a>.</p>
<p class="quiet">One that is on its way may still arrive.</p>
${wayBack(trader)}`,
  )
}

/** A link to the trader of the mails, where the name can be one. */
function wayBack(trader: string | null): string {
  const name = nameOf(trader)
  const [to, words] =
    trader && name.startsWith('@')
      ? [webPaths.trader(trader), `View ${name}`]
      : [webPaths.home, `Open ${BRAND}`]
  return `<p><a href="${to}">${words}</a></p>`
}

export function unknownPage(): string {
  return mailPage(
    'This link leads nowhere',
    `<h1>This link leads nowhere</h1>
<p>It may have been cut in two by your mail program. Try to copy the whole link from the mail, or <a href="/">open ${BRAND}</a>.</p>`,
  )
}

/** Usernames hold letters, digits, `_` and `-` by a rule of the database; any other text is not shown. */
function nameOf(trader: string | null): string {
  return trader && /^[\w-]+$/.test(trader) ? `@${trader}` : 'this trader'
}
