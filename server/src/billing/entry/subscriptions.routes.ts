import { endpoints } from '@tradepost/contract/endpoints'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { EndpointRegistry } from '../../platform/http/register-endpoints.ts'
import { agreeToPrice } from '../agreements/agree-to-price.ts'
import { startSubscription } from '../checkouts/start-subscription.ts'
import { readDesk } from '../desk/read-desk.ts'
import { ENTITLED_STATUSES } from '../entitlements/may-subscribe.ts'
import { countSubscribers } from '../entitlements/subscriptions.queries.ts'
import { cancelSubscription, endTrial, keepSubscription } from '../leaving/plan-end.ts'
import { lookForPayment, readLeaving, requireLeaver, withdraw } from '../leaving/withdraw.ts'
import type { BillingDeps } from '../provider/billing-deps.ts'
import { checkSubscription } from '../subscriptions/check-subscription.ts'
import { makeSubscriptionsList } from '../subscriptions/list-subscriptions.ts'
import { manageSubscription, switchSubscriptionMail } from '../subscriptions/manage-subscription.ts'
import { listInvoices, openInvoice } from '../subscriptions/own-invoices.ts'

export function subscriptionsRoutes(
  api: EndpointRegistry,
  deps: BillingDeps & { pipelined: Queryable },
): void {
  const listSubscriptions = makeSubscriptionsList(deps)
  api.serve(endpoints.subscribers, async ({ caller }) => ({
    subscribers: await countSubscribers(deps.db, caller.userId, ENTITLED_STATUSES),
  }))
  api.serve(endpoints.desk, ({ caller, now }) => readDesk(deps.db, caller, now))
  api.serve(endpoints.newSubscription, async ({ body, caller, now }) => ({
    url: await startSubscription(deps, caller, body, now),
  }))
  api.serve(endpoints.subscriptions, ({ caller, now }) => listSubscriptions(caller, now))
  api.serve(endpoints.subscriptionCheck, ({ caller, now, params }) =>
    checkSubscription(deps, caller, params.id, now),
  )
  api.serve(endpoints.invoices, ({ caller }) => listInvoices(deps.db, caller))
  api.serve(endpoints.openInvoice, async ({ caller, now, params }) => ({
    url: await openInvoice(deps, caller, params.id, now),
  }))
  api.serve(endpoints.manageSubscription, async ({ caller, now, params }) => ({
    url: await manageSubscription(deps, caller, params.id, now),
  }))
  api.serve(endpoints.endTrial, ({ caller, now, params }) => endTrial(deps, caller, params.id, now))
  const leaver = (caller: { userId: string }, { id }: { id: string }) => requireLeaver(deps.db, caller, id)
  api.serve(endpoints.leaving, async ({ caller, now, params }) => {
    const own = await leaver(caller, params)
    await lookForPayment(deps.db, own)
    return readLeaving(deps.db, own, now)
  })
  api.serve(endpoints.cancelSubscription, async ({ caller, now, params }) =>
    cancelSubscription(deps, await leaver(caller, params), now),
  )
  api.serve(endpoints.keepSubscription, async ({ caller, now, params }) =>
    keepSubscription(deps, await leaver(caller, params), now),
  )
  api.serve(endpoints.withdraw, async ({ body, caller, now, params }) =>
    withdraw(deps, await leaver(caller, params), body.asOf === undefined ? null : new Date(body.asOf), now),
  )
  api.serve(endpoints.switchSubscriptionMail, async ({ body, caller, now, params }) => ({
    mailEnabled: await switchSubscriptionMail(deps.db, caller, params.id, body.enabled, now),
  }))
  api.serve(endpoints.agreeToPrice, async ({ body, caller, now, params }) => ({
    newPrice: await agreeToPrice(deps, caller, params.id, body.priceCents, now),
  }))
}
