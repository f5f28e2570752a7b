import { LIVE, type Subscription } from '../billing/types.ts'
import type { Customer } from '../customers/types.ts'
import { randomText } from '../store/ids.ts'
import type { Stored } from '../store/objects.ts'
import { invalid } from '../wire/errors.ts'
import type { Call } from '../wire/route.ts'
import type { Tx } from '../world.ts'
import type { Configuration, Visit } from './portal.ts'

const VISIT_SECONDS = 3600

type FlowParam = {
  type: string
  subscription_cancel?: { subscription: string }
  after_completion?: { type: string; redirect?: { return_url: string } }
}

/** Opens the portal for a customer, at its beginning or to change one thing. */
export function createPortalSession({ tx, params }: Call): unknown {
  const customer = tx.need<Customer>('customer', String(params.customer ?? ''), 'customer')
  const configuration = configurationFor(tx, params.configuration)
  const returnUrl = (params.return_url as string | undefined) ?? configuration.default_return_url
  if (returnUrl !== null) checkUrl(returnUrl, 'return_url')
  const flow = params.flow_data as FlowParam | undefined
  const target = flow === undefined ? null : flowTarget(tx, flow, customer.id)
  const after = flow === undefined ? null : afterFlow(flow)
  const session = tx.make<Stored>('billing_portal.session', {
    configuration: configuration.id,
    customer: customer.id,
    flow: flow === undefined ? null : shownFlow(tx, flow, after),
    locale: params.locale ?? null,
    return_url: returnUrl,
  })
  const token = `test_${randomText(40)}`
  session.url = `${tx.pages}/p/session/${token}`
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
  tx.add(visit)
  tx.emit('billing_portal.session.created', session)
  return session
}

function configurationFor(tx: Tx, given: unknown): Configuration {
  if (typeof given === 'string')
    return tx.need<Configuration>('billing_portal.configuration', given, 'configuration')
  const [standard] = tx.objects.list(
    'billing_portal.configuration',
    { equal: { is_default: true } },
    { limit: 1 },
  )
  if (standard === undefined)
    throw invalid(
      'No configuration provided and your test mode default configuration has not been created. Provide a configuration or create your default by saving your customer portal settings in test mode.',
    )
  return standard as Configuration
}

function flowTarget(tx: Tx, flow: FlowParam, customer: string): string | null {
  if (flow.type === 'payment_method_update') return null
  const id = flow.subscription_cancel?.subscription
  if (flow.type !== 'subscription_cancel' || id === undefined)
    throw invalid(`The payments sandbox does not know the flow ${flow.type}.`, 'flow_data[type]')
  const param = 'flow_data[subscription_cancel][subscription]'
  const subscription = tx.need<Subscription>('subscription', id, param)
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

function checkUrl(url: string, param: string): void {
  if (!/^https?:\/\/[^\s]+$/.test(url)) throw invalid('Not a valid URL', param, 'url_invalid')
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
