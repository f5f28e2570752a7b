import { BRAND } from '@tradepost/contract/brand'
import { webPaths } from '@tradepost/contract/web-paths'
import { mailPage } from '../../platform/http/mail-page.ts'
import { formOf, nameOf, OTHER_MAILS, SUBSCRIPTIONS } from './page-parts.ts'
import type { Stopped } from './unsubscribe.ts'

/** @param token of the link, which was looked up */
export function confirmPage(link: Stopped, token: string): string {
  if (link.about === 'renewals')
    return mailPage(
      'Stop mails before renewals',
      `<h1>Stop mails before renewals?</h1>
<p>You will get no more mails on the day before a subscription renews. Your subscriptions and the mails about positions go on.</p>
<div class="ways">
<form method="post"><button type="submit">Stop these mails</button></form>
<a href="${webPaths.home}">Keep them</a>
</div>`,
    )
  const name = nameOf(link.trader)
  return mailPage(
    `Stop mails about ${name}`,
    `<h1>Stop mails about ${name}?</h1>
<p>You will get no more mails when ${name} opens or closes a position. Your subscription goes on, and the positions stay visible on your home page.</p>
<div class="ways">
<form method="post"><button type="submit">Stop these mails</button></form>
<a href="${webPaths.home}">Keep them</a>
</div>
${formOf(token, 'all', 'Stop mails about all traders')}
<p class="quiet">${OTHER_MAILS}</p>`,
  )
}

/** @param token of the link, which was looked up */
export function donePage(link: Stopped, token: string): string {
  if (link.about === 'renewals')
    return mailPage(
      'Done',
      `<h1>Done: no more mails before renewals</h1>
<p>Your subscriptions and the mails about positions go on.</p>
<p>You can start them again under ${SUBSCRIPTIONS}.</p>
<p><a href="${webPaths.home}">Open ${BRAND}</a></p>`,
    )
  const { trader } = link
  const name = nameOf(trader)
  return mailPage(
    'Done',
    `<h1>Done: no more mails about ${name}</h1>
<p>Your subscription goes on, and the positions stay visible on your <a href="/">home page</a>.</p>
<p>You can start them again under ${SUBSCRIPTIONS}.</p>
${formOf(token, 'undo', `Mail me about ${name} again`)}
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
