import { merge } from '../gate/merge.ts'
import { invalid } from '../wire/errors.ts'
import { page } from '../wire/lists.ts'
import { mergeMetadata } from '../wire/metadata.ts'
import { type Call, PAGING, type Route } from '../wire/route.ts'
import { createPortalSession } from './create-portal-session.ts'
import type { Configuration } from './portal.ts'

export const portalRoutes: Route[] = [
  {
    endpoint: 'POST /v1/billing_portal/configurations',
    reads: ['features', 'business_profile', 'default_return_url', 'metadata', 'name'],
    answer: createConfiguration,
  },
  {
    endpoint: 'GET /v1/billing_portal/configurations',
    reads: [...PAGING, 'active', 'is_default'],
    answer: (call) => page(call, 'billing_portal.configuration', { equal: flags(call.params) }),
  },
  {
    endpoint: 'GET /v1/billing_portal/configurations/:id',
    reads: [],
    answer: ({ tx, id }) => tx.need('billing_portal.configuration', id),
  },
  {
    endpoint: 'POST /v1/billing_portal/configurations/:id',
    reads: ['features', 'business_profile', 'default_return_url', 'metadata', 'active', 'name'],
    answer: updateConfiguration,
  },
  {
    endpoint: 'POST /v1/billing_portal/sessions',
    reads: [
      'customer',
      'return_url',
      'configuration',
      'flow_data.type',
      'flow_data.subscription_cancel.subscription',
      'flow_data.after_completion.type',
      'flow_data.after_completion.redirect',
      'locale',
    ],
    answer: createPortalSession,
  },
]

function flags(params: Record<string, unknown>): Record<string, boolean> {
  const given = ['active', 'is_default'].filter((name) => typeof params[name] === 'boolean')
  return Object.fromEntries(given.map((name) => [name, params[name] === true]))
}

function createConfiguration({ tx, params }: Call): Configuration {
  const configuration = tx.make<Configuration>('billing_portal.configuration', {
    active: true,
    features: { subscription_cancel: { mode: 'at_period_end', proration_behavior: 'none' } },
    default_return_url: params.default_return_url || null,
    is_default: tx.objects.count('billing_portal.configuration') === 0,
    name: params.name || null,
    updated: tx.now,
    metadata: mergeMetadata(null, params.metadata),
  })
  applySettings(configuration, params)
  tx.add(configuration)
  tx.emit('billing_portal.configuration.created', configuration)
  return configuration
}

function updateConfiguration({ tx, params, id }: Call): Configuration {
  const configuration = tx.need<Configuration>('billing_portal.configuration', id)
  const changed = structuredClone(configuration)
  applySettings(changed, params)
  if (typeof params.active === 'boolean') changed.active = params.active
  if (params.default_return_url !== undefined)
    changed.default_return_url = (params.default_return_url as string) || null
  if (params.name !== undefined) changed.name = (params.name as string) || null
  changed.metadata = mergeMetadata(configuration.metadata, params.metadata)
  changed.updated = tx.now
  const before = tx.change(configuration, changed)
  tx.emit('billing_portal.configuration.updated', configuration, before)
  return configuration
}

function applySettings(configuration: Configuration, params: Record<string, unknown>): void {
  const features = (params.features ?? {}) as Record<string, Record<string, unknown>>
  const profile = (params.business_profile ?? {}) as Record<string, unknown>
  const emptied = (value: unknown) => (value === '' ? null : value)
  configuration.features = merge(configuration.features, features) as Configuration['features']
  refuseFeatures(configuration.features)
  const update = configuration.features.customer_update as { allowed_updates: unknown }
  if (!Array.isArray(update.allowed_updates)) update.allowed_updates = []
  for (const [name, value] of Object.entries(profile)) configuration.business_profile[name] = emptied(value)
}

/** The portal's page offers to change the card, to see and pay invoices, and to cancel without proration; no more. */
function refuseFeatures(features: Configuration['features']): void {
  for (const name of ['customer_update', 'subscription_update']) {
    if ((features[name] as { enabled: boolean }).enabled)
      throw invalid(
        `The payments sandbox does not carry out features[${name}].`,
        `features[${name}][enabled]`,
      )
  }
  const { proration_behavior } = features.subscription_cancel
  if (proration_behavior !== 'none')
    throw invalid(
      'The payments sandbox cancels without proration only.',
      'features[subscription_cancel][proration_behavior]',
    )
}
