import { webPaths } from '@tradepost/contract/web-paths'

/** @param where.origin public address of the product, without a slash at the end */
export function traderUrl({ origin, trader }: { origin: string; trader: string }): string {
  return origin + webPaths.trader(trader)
}

/** The page on which one subscribes to a trader. */
export function subscribeUrl({ origin, trader }: { origin: string; trader: string }): string {
  return origin + webPaths.subscribe(trader)
}

/** The address of the mail's event in the reader's Activity (rule G-86). @param where.item the name of the item there */
export function activityItemUrl({ origin, item }: { origin: string; item: string }): string {
  return origin + webPaths.activityItem(item)
}

/** Activity, from its newest item on. */
export function activityUrl(origin: string): string {
  return origin + webPaths.activity
}

/** Account > Profile: the second step of signing in, and where one is signed in. */
export function profileUrl(origin: string): string {
  return origin + webPaths.profile
}

/** Account > Subscriptions: the subscriptions that one pays for, and the way to Stripe's page for cards and invoices. */
export function subscriptionsUrl(origin: string): string {
  return origin + webPaths.subscriptions
}

/** The home page at the positions of the traders one follows. */
export function followedPositionsUrl(origin: string): string {
  return origin + webPaths.followedPositions
}

/** The home page at one's own positions, where each is closed. */
export function ownPositionsUrl(origin: string): string {
  return origin + webPaths.ownPositions
}

/** Account > Payments: the income. */
export function payoutsUrl(origin: string): string {
  return origin + webPaths.payments
}

/** The page that checks a receipt of the public record. @param receipt base64url */
export function verifyUrl(origin: string, receipt: string): string {
  return `${origin}${webPaths.verify}#${receipt}`
}

export function recordUrl(origin: string): string {
  return origin + webPaths.record
}
