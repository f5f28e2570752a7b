import { BRAND } from '@tradepost/contract/brand'
import { webPaths } from '@tradepost/contract/web-paths'
import { mailPage } from '../../platform/http/mail-page.ts'
import { formOf, nameOf, OTHER_MAILS, SUBSCRIPTIONS } from './page-parts.ts'
import type { OfTrader } from './unsubscribe.ts'

const HOME = `<p><a href="${webPaths.home}">Open ${BRAND}</a></p>`

/** Behind the press that stopped the mails about all traders. @param token of the link, which was looked up */
export function allDonePage(token: string): string {
  return mailPage(
    'Done',
    `<h1>Done: no more mails about positions</h1>
<p>You get none about any trader, also about those whom you follow later. Your subscriptions go on, and the positions stay visible on your <a href="${webPaths.home}">home page</a>.</p>
<p>You can start them again under ${SUBSCRIPTIONS}.</p>
${formOf(token, 'undo-all', 'Mail me about positions again')}
<p class="quiet">${OTHER_MAILS}</p>
<p class="quiet">One that is on its way may still arrive.</p>`,
  )
}

/** Behind the press that took a stop back. */
export function undonePage({ allOff, trader }: OfTrader, way: 'undo' | 'undo-all'): string {
  if (way === 'undo-all')
    return mailPage(
      'Done',
      `<h1>Mails about positions are on again</h1>
<p>You are mailed of what is published from now on. The switch of each trader under ${SUBSCRIPTIONS} is as it was.</p>
${HOME}`,
    )
  const name = nameOf(trader)
  const then = allOff
    ? `None comes as long as the mails about all traders are off, under ${SUBSCRIPTIONS}.`
    : `You are mailed when ${name} opens or closes a position.`
  return mailPage('Done', `<h1>Mails about ${name} are on again</h1>\n<p>${then}</p>\n${HOME}`)
}
