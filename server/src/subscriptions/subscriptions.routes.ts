import { endpoints } from '@tradepost/contract/endpoints'
import type { SubscriptionItem } from '@tradepost/contract/subscriptions'
import type { PaymentsDeps } from '../payments/payments-deps.ts'
import type { EndpointRegistry } from '../platform/http/register-endpoints.ts'
import { checkSubscription } from './check-subscription.ts'
import { manageSubscription, switchSubscriptionMail } from './manage-subscription.ts'
import { ENTITLED_STATUSES } from './may-subscribe.ts'
import { findMailsRefused, listOwn, type OwnSubscription } from './own-subscriptions.queries.ts'
import { readDesk } from './read-desk.ts'
import { startSubscription } from './start-subscription.ts'
import { countSubscribers } from './subscriptions.queries.ts'

export function subscriptionsRoutes(api: EndpointRegistry, deps: PaymentsDeps): void {
  api.serve(endpoints.subscribers, async ({ caller }) => ({
    subscribers: await countSubscribers(deps.db, caller.userId, ENTITLED_STATUSES),
  }))
  api.serve(endpoints.desk, ({ caller, now }) => readDesk(deps.db, caller, now))
  api.serve(endpoints.newSubscription, async ({ body, caller, now }) => ({
    url: await startSubscription(deps, caller, body.username, now),
  }))
  api.serve(endpoints.subscriptions, async ({ caller, now }) => {
    const [subscriptions, mailsRefused] = await Promise.all([
      listOwn(deps.db, caller.userId),
      findMailsRefused(deps.db, caller.userId, now),
    ])
    return { subscriptions: subscriptions.map(present), mailsRefused }
  })
  api.serve(endpoints.subscriptionCheck, ({ caller, params }) =>
    checkSubscription(deps.db, caller, params.id),
  )
  api.serve(endpoints.manageSubscription, async ({ caller, now, params }) => ({
    url: await manageSubscription(deps, caller, params.id, now),
  }))
  api.serve(endpoints.switchSubscriptionMail, async ({ body, caller, now, params }) => ({
    mailEnabled: await switchSubscriptionMail(deps.db, caller, params.id, body.enabled, now),
  }))
}

function present(own: OwnSubscription): SubscriptionItem {
  const { currency, id, priceCents, status, username } = own
  return {
    id,
    username,
    status,
    mailEnabled: own.mutedAt === null,
    endsAt: own.cancelAt?.toISOString() ?? null,
    currentPeriodEnd: own.pausedSince ? null : (own.currentPeriodEnd?.toISOString() ?? null),
    startedAt: own.startedAt.toISOString(),
    priceCents,
    currency,
  }
}
