import { endpoints } from '@tradepost/contract/endpoints'
import type { PaymentsDeps } from '../payments/payments-deps.ts'
import type { Queryable } from '../platform/database.ts'
import type { EndpointRegistry } from '../platform/http/register-endpoints.ts'
import { checkSubscription } from './check-subscription.ts'
import { makeSubscriptionsList } from './list-subscriptions.ts'
import { manageSubscription, switchSubscriptionMail } from './manage-subscription.ts'
import { ENTITLED_STATUSES } from './may-subscribe.ts'
import { readDesk } from './read-desk.ts'
import { startSubscription } from './start-subscription.ts'
import { countSubscribers } from './subscriptions.queries.ts'

export function subscriptionsRoutes(
  api: EndpointRegistry,
  deps: PaymentsDeps & { pipelined: Queryable },
): void {
  const listSubscriptions = makeSubscriptionsList(deps)
  api.serve(endpoints.subscribers, async ({ caller }) => ({
    subscribers: await countSubscribers(deps.db, caller.userId, ENTITLED_STATUSES),
  }))
  api.serve(endpoints.desk, ({ caller, now }) => readDesk(deps.db, caller, now))
  api.serve(endpoints.newSubscription, async ({ body, caller, now }) => ({
    url: await startSubscription(deps, caller, body.username, now),
  }))
  api.serve(endpoints.subscriptions, ({ caller, now }) => listSubscriptions(caller, now))
  api.serve(endpoints.subscriptionCheck, ({ caller, now, params }) =>
    checkSubscription(deps.db, caller, params.id, now),
  )
  api.serve(endpoints.manageSubscription, async ({ caller, now, params }) => ({
    url: await manageSubscription(deps, caller, params.id, now),
  }))
  api.serve(endpoints.switchSubscriptionMail, async ({ body, caller, now, params }) => ({
    mailEnabled: await switchSubscriptionMail(deps.db, caller, params.id, body.enabled, now),
  }))
}
