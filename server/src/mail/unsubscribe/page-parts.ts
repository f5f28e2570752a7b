import { webPaths } from '@tradepost/contract/web-paths'
import { type UnsubscribeWay, wayPath } from './unsubscribe-url.ts'

export const SUBSCRIPTIONS = `<a href="${webPaths.subscriptions}">Account &gt; Subscriptions</a>`

/** The mails that no link stops, and why. */
export const OTHER_MAILS =
  'Mails about payments and the security of your account go on: without them you would not learn of a charge, or of somebody else in your account.'

/** A button behind the main one. @param token of a link that was looked up */
export function formOf(token: string, way: UnsubscribeWay, words: string): string {
  return `<form class="more" method="post" action="${wayPath(token, way)}"><button type="submit" class="plain">${words}</button></form>`
}

/** Usernames hold letters, digits, `_` and `-` by a rule of the database; any other text is not shown. */
export function nameOf(trader: string | null): string {
  return trader && /^[\w-]+$/.test(trader) ? `@${trader}` : 'this trader'
}
