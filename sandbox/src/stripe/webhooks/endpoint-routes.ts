import type { Endpoint } from '../model/webhooks.ts'
import { missing } from '../refusals/errors.ts'
import { anything, arrayOf, flag, nullable, optional, text } from '../shape/shape.ts'
import { PAGING, page } from '../wire/lists.ts'
import { mergeMetadata } from '../wire/metadata.ts'
import { type Call, type CallWith, type Route, route } from '../wire/route.ts'
import { checkTarget, checkVersion, drawSecret } from './target.ts'

const CREATE = {
  url: text,
  enabled_events: arrayOf(text),
  api_version: optional(text),
  description: optional(nullable(text)),
  metadata: optional(anything),
  connect: optional(flag),
}

const UPDATE = {
  url: optional(text),
  enabled_events: optional(arrayOf(text)),
  description: optional(nullable(text)),
  disabled: optional(flag),
  metadata: optional(anything),
}

/** Where snapshot events are sent. */
export const endpointRoutes: Route[] = [
  route('POST /v1/webhook_endpoints', CREATE, createEndpoint),
  route('GET /v1/webhook_endpoints', PAGING, (call) => page(call, 'webhook_endpoint')),
  route('GET /v1/webhook_endpoints/:id', {}, ({ tx, id }) => tx.need('webhook_endpoint', id)),
  route('POST /v1/webhook_endpoints/:id', UPDATE, updateEndpoint),
  route('DELETE /v1/webhook_endpoints/:id', {}, remove),
]

function createEndpoint({ tx, params }: CallWith<typeof CREATE>): unknown {
  checkTarget(params.url, 'url')
  checkVersion(tx, params.api_version, 'api_version')
  const endpoint = tx.make('webhook_endpoint', {
    api_version: params.api_version ?? null,
    description: params.description || null,
    enabled_events: params.enabled_events,
    metadata: mergeMetadata(null, params.metadata),
    status: 'enabled',
    url: params.url,
  })
  const secret = tx.world.secrets.snapshot ?? drawSecret()
  tx.add(endpoint, { notes: { secret, connect: params.connect === true } })
  // The secret is returned once, at creation.
  return { ...endpoint, secret }
}

function updateEndpoint({ tx, params, id }: CallWith<typeof UPDATE>): Endpoint {
  const endpoint = tx.need('webhook_endpoint', id)
  const { url, enabled_events, description, disabled } = params
  if (url !== undefined) checkTarget(url, 'url')
  tx.change(endpoint, {
    ...(url !== undefined && { url }),
    ...(enabled_events !== undefined && { enabled_events }),
    ...(description !== undefined && { description: description || null }),
    ...(disabled !== undefined && { status: disabled ? ('disabled' as const) : ('enabled' as const) }),
    metadata: mergeMetadata(endpoint.metadata, params.metadata),
  })
  return endpoint
}

function remove({ tx, id }: Call): unknown {
  const object = 'webhook_endpoint'
  if (tx.objects.find(object, id) === null) throw missing(object, id)
  tx.objects.remove(id)
  return { id, object, deleted: true }
}
