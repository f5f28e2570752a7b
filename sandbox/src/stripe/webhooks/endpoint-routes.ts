import type { Stored } from '../store/objects.ts'
import { missing } from '../wire/errors.ts'
import { page } from '../wire/lists.ts'
import { mergeMetadata } from '../wire/metadata.ts'
import { type Call, PAGING, type Route } from '../wire/route.ts'
import { checkTarget, checkVersion, drawSecret } from './target.ts'

/** Where snapshot events are sent. */
export const endpointRoutes: Route[] = [
  {
    endpoint: 'POST /v1/webhook_endpoints',
    reads: ['url', 'enabled_events', 'api_version', 'description', 'metadata', 'connect'],
    answer: createEndpoint,
  },
  {
    endpoint: 'GET /v1/webhook_endpoints',
    reads: [...PAGING],
    answer: (call) => page(call, 'webhook_endpoint'),
  },
  {
    endpoint: 'GET /v1/webhook_endpoints/:id',
    reads: [],
    answer: ({ tx, id }) => tx.need('webhook_endpoint', id),
  },
  {
    endpoint: 'POST /v1/webhook_endpoints/:id',
    reads: ['url', 'enabled_events', 'description', 'disabled', 'metadata'],
    answer: updateEndpoint,
  },
  {
    endpoint: 'DELETE /v1/webhook_endpoints/:id',
    reads: [],
    answer: remove,
  },
]

function createEndpoint({ tx, params }: Call): Stored {
  checkTarget(params.url, 'url')
  checkVersion(tx, params.api_version, 'api_version')
  const endpoint = tx.make<Stored>('webhook_endpoint', {
    api_version: params.api_version ?? null,
    description: params.description || null,
    enabled_events: params.enabled_events,
    metadata: mergeMetadata(null, params.metadata),
    status: 'enabled',
    url: params.url,
  })
  const secret = tx.world.secrets.snapshot ?? drawSecret()
  tx.add(endpoint, { secret, connect: params.connect === true })
  // The secret is told once, at creation.
  return { ...endpoint, secret }
}

function updateEndpoint({ tx, params, id }: Call): Stored {
  const endpoint = tx.need<Stored>('webhook_endpoint', id)
  if (params.url !== undefined) checkTarget(params.url, 'url')
  tx.change(endpoint, {
    ...(params.url !== undefined && { url: params.url }),
    ...(params.enabled_events !== undefined && { enabled_events: params.enabled_events }),
    ...(params.description !== undefined && { description: params.description || null }),
    ...(params.disabled !== undefined && { status: params.disabled === true ? 'disabled' : 'enabled' }),
    metadata: mergeMetadata(endpoint.metadata as Record<string, string>, params.metadata),
  })
  return endpoint
}

function remove({ tx, id }: Call): Stored {
  const type = 'webhook_endpoint'
  const found = tx.objects.find(id)
  if (found?.object !== type) throw missing(type, id)
  tx.objects.remove(id)
  return { id, object: type, deleted: true }
}
