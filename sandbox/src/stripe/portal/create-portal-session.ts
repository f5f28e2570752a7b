import { LIVE } from '../model/billing.ts'
import type { Configuration, Visit } from '../model/portal.ts'
import { checkUrl, invalid } from '../refusals/errors.ts'
import { fields, type ObjectOf, optional, text, whole } from '../shape/shape.ts'
import { randomText } from '../store/ids.ts'
import type { CallWith } from '../wire/route.ts'
import type { Tx } from '../world/world.ts'

const VISIT_SECONDS = 3600

export const CREATE = {
  customer: optional(text),
  return_url: optional(text),
  configuration: optional(text),
  flow_data: optional(
    fields({
      type: text,
      subscription_cancel: optional(fields({ subscription: text })),
      after_completion: optional(
        fields({ type: text, redirect: optional(whole(fields({ return_url: text }))) }),
      ),
    }),
  ),
  locale: optional(text),
}

type FlowParam = NonNullable<ObjectOf<typeof CREATE>['flow_data']>

/** Opens the portal for a customer, at its beginning or to change one thing. */
export function createPortalSession({ tx, params }: CallWith<typeof CREATE>): unknown {
  const customer = tx.need('customer', params.customer ?? '', 'customer')
  const configuration = configurationFor(tx, params.configuration)
  const returnUrl = params.return_url ?? configuration.default_return_url
  if (returnUrl !== null) checkUrl(returnUrl, 'return_url')
  const flow = params.flow_data
  const target = flow === undefined ? null : flowTarget(tx, flow, customer.id)
  const after = flow === undefined ? null : afterFlow(flow)
  const token = `test_${randomText(40)}`
  const session = tx.make('billing_portal.session', {
    configuration: configuration.id,
    customer: customer.id,
    flow: flow === undefined ? null : shownFlow(tx, flow, after),
    locale: params.locale ?? null,
    return_url: returnUrl,
    url: `${tx.pages}/p/session/${token}`,
  })
  tx.add(session)
  const visit: Visit = {
    id: token,
    object: 'sandbox.portal',
    customer: customer.id,
    configuration: configuration.id,
    return_url: returnUrl,
    expires: tx.now + VISIT_SECONDS,
    flow: target === null ? null : { subscription: target, after },
  }
  tx.add(visit, { notes: {} })
  tx.emit('billing_portal.session.created', session)
  return session
}

function configurationFor(tx: Tx, given: string | undefined): Configuration {
  if (given !== undefined) return tx.need('billing_portal.configuration', given, 'configuration')
  const [standard] = tx.objects.list(
    'billing_portal.configuration',
    { equal: { is_default: true } },
    { limit: 1 },
  )
  if (standard === undefined)
    throw invalid(
      'No configuration provided and your test mode default configuration has not been created. Provide a configuration or create your default by saving your customer portal settings in test mode.',
    )
  return standard
}

function flowTarget(tx: Tx, flow: FlowParam, customer: string): string | null {
  if (flow.type === 'payment_method_update') return null
  const id = flow.subscription_cancel?.subscription
  if (flow.type !== 'subscription_cancel' || id === undefined)
    throw invalid(`The payments sandbox does not know the flow ${flow.type}.`, 'flow_data[type]')
  const param = 'flow_data[subscription_cancel][subscription]'
  const subscription = tx.need('subscription', id, param)
  if (
    subscription.customer !== customer ||
    !LIVE.includes(subscription.status) ||
    subscription.cancel_at !== null
  )
    throw invalid(`The subscription ${id} cannot be canceled in this portal session.`, param)
  return id
}

/** Where a finished flow leads; null: it stays in the portal. */
function afterFlow({ after_completion }: FlowParam): string | null {
  const type = after_completion?.type ?? 'portal_homepage'
  if (type === 'portal_homepage') return null
  const url = after_completion?.redirect?.return_url
  if (type !== 'redirect' || url === undefined)
    throw invalid(
      'The payments sandbox ends a flow at the portal or with a redirect.',
      'flow_data[after_completion]',
    )
  checkUrl(url, 'flow_data[after_completion][redirect][return_url]')
  return url
}

function shownFlow(tx: Tx, flow: FlowParam, after: string | null): Record<string, unknown> {
  return tx.part('billing_portal.session', 'flow', {
    type: flow.type,
    after_completion: {
      type: after === null ? 'portal_homepage' : 'redirect',
      hosted_confirmation: null,
      redirect: after === null ? null : { return_url: after },
    },
    ...(flow.subscription_cancel !== undefined && {
      subscription_cancel: { retention: null, subscription: flow.subscription_cancel.subscription },
    }),
  })
}
