import { type Configuration, features } from '../model/portal.ts'
import { invalid } from '../refusals/errors.ts'
import { merge } from '../shape/merge.ts'
import { anything, flag, nullable, type ObjectOf, optional, readAs, record, text } from '../shape/shape.ts'
import { PAGING, page } from '../wire/lists.ts'
import { mergeMetadata } from '../wire/metadata.ts'
import { type CallWith, type Route, route } from '../wire/route.ts'
import { CREATE, createPortalSession } from './create-portal-session.ts'

const SETTINGS = {
  features: optional(record),
  business_profile: optional(record),
  default_return_url: optional(nullable(text)),
  metadata: optional(anything),
  name: optional(nullable(text)),
}
const UPDATE = { ...SETTINGS, active: optional(flag) }
const LIST = { ...PAGING, active: optional(flag), is_default: optional(flag) }

const TYPE = 'billing_portal.configuration'

export const portalRoutes: Route[] = [
  route('POST /v1/billing_portal/configurations', SETTINGS, createConfiguration),
  route('GET /v1/billing_portal/configurations', LIST, (call) => {
    const { active, is_default } = call.params
    return page(call, TYPE, { equal: { active, is_default } })
  }),
  route('GET /v1/billing_portal/configurations/:id', {}, ({ tx, id }) => tx.need(TYPE, id)),
  route('POST /v1/billing_portal/configurations/:id', UPDATE, updateConfiguration),
  route('POST /v1/billing_portal/sessions', CREATE, createPortalSession),
]

function createConfiguration({ tx, params }: CallWith<typeof SETTINGS>): Configuration {
  const configuration = tx.make(TYPE, {
    active: true,
    features: { subscription_cancel: { mode: 'at_period_end', proration_behavior: 'none' } },
    default_return_url: params.default_return_url || null,
    is_default: tx.objects.count(TYPE) === 0,
    name: params.name || null,
    updated: tx.now,
    metadata: mergeMetadata(null, params.metadata),
  })
  applySettings(configuration, params)
  tx.add(configuration)
  tx.emit('billing_portal.configuration.created', configuration)
  return configuration
}

function updateConfiguration({ tx, params, id }: CallWith<typeof UPDATE>): Configuration {
  const configuration = tx.need(TYPE, id)
  const changed = structuredClone(configuration)
  applySettings(changed, params)
  if (params.active !== undefined) changed.active = params.active
  if (params.default_return_url !== undefined) changed.default_return_url = params.default_return_url || null
  if (params.name !== undefined) changed.name = params.name || null
  changed.metadata = mergeMetadata(configuration.metadata, params.metadata)
  changed.updated = tx.now
  const before = tx.change(configuration, changed)
  tx.emit('billing_portal.configuration.updated', configuration, before)
  return configuration
}

function applySettings(configuration: Configuration, params: ObjectOf<typeof SETTINGS>): void {
  const merged = merge(configuration.features, params.features ?? {})
  configuration.features = readAs(features, merged, 'The features of the portal')
  refuseFeatures(configuration.features)
  const { customer_update } = configuration.features
  if (!Array.isArray(customer_update.allowed_updates)) customer_update.allowed_updates = []
  for (const [name, value] of Object.entries(params.business_profile ?? {}))
    Object.assign(configuration.business_profile, { [name]: value === '' ? null : value })
}

/** The details of a customer that the page can change: all of them or none. */
const DETAILS = ['address', 'name', 'tax_id']

/** The portal's page offers to change the card and the details of `DETAILS`, to see and pay invoices, and to cancel without proration; no more. */
function refuseFeatures(features: Configuration['features']): void {
  const { allowed_updates: allowed, enabled } = features.customer_update
  if (enabled && !(Array.isArray(allowed) && DETAILS.join() === allowed.toSorted().join()))
    throw invalid(
      `The payments sandbox changes ${DETAILS.join(', ')} of a customer together, and nothing else.`,
      'features[customer_update][allowed_updates]',
    )
  if (features.subscription_update.enabled)
    throw invalid(
      'The payments sandbox does not carry out features[subscription_update].',
      'features[subscription_update][enabled]',
    )
  const { proration_behavior } = features.subscription_cancel
  if (proration_behavior !== 'none')
    throw invalid(
      'The payments sandbox cancels without proration only.',
      'features[subscription_cancel][proration_behavior]',
    )
}
