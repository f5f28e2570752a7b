import { readableName } from '@tradepost/contract/company-name'
import { isEntitled } from '@tradepost/contract/subscriptions'
import type { SecretKey } from '../../auth/keys/secret-key.ts'
import { leaveUrl } from '../../billing/leaving/leave-link.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { Prepare } from '../outbox/prepare-mails.ts'
import { unsubscribeUrl } from '../unsubscribe/unsubscribe-url.ts'
import { findStarted, listNewestOpen, type OpenPosition } from './started.queries.ts'

/** More would make a long mail; the home page has them all. */
const MOST_SHOWN = 20

/**
 * Reads the positions of their trader that the follower of a subscription that has just begun may see at this moment. A mail is unneeded when
 * the subscription gives no access (any more), and when its follower has stopped its mails, or those of all traders, before: it is about positions, as
 * those mails are (rules G-63 and G-120).
 */
export function prepareStartedMails(deps: {
  db: Queryable
  origin: string
  secret: SecretKey
}): Prepare<'subscription_started'> {
  const { db, origin } = deps
  return async (mails, now) => {
    const found = await findStarted(db, {
      ids: mails.map(({ facts }) => facts.subscriptionId),
      traderIds: mails.map(({ facts }) => facts.traderId),
    })
    const mailed = found.filter(({ silent, status }) => isEntitled(status) && !silent)
    const subscriptions = new Map(mailed.map((one) => [one.id, one]))
    const open = await listNewestOpen(db, [...new Set(mailed.map(({ traderId }) => traderId))], MOST_SHOWN)
    const ofTrader = Map.groupBy(open, ({ traderId }) => traderId)
    return mails.map(({ facts }) => {
      const subscription = subscriptions.get(facts.subscriptionId)
      if (!subscription) return null
      const positions = ofTrader.get(subscription.traderId) ?? []
      return {
        drawn: {
          positions: positions.map(present),
          more: (positions[0]?.total ?? 0) - positions.length,
          unsubscribeUrl: unsubscribeUrl(origin, subscription.unsubscribeToken),
          leaveUrl: leaveUrl(deps, subscription.unsubscribeToken, now),
        },
      }
    })
  }
}

function present({ symbol, companyName, openPrice, openedAt, holdLength, openNotes }: OpenPosition) {
  return {
    symbol,
    companyName: companyName === null ? null : readableName(companyName),
    openPrice,
    openedAt: openedAt.toISOString(),
    holdLength,
    notes: openNotes,
  }
}
