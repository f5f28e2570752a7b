import { emitThin, iso } from '../connect/events.ts'
import type { Stored } from '../store/objects.ts'
import { invalid } from '../wire/errors.ts'
import { pageV2 } from '../wire/lists.ts'
import { mergeMetadata } from '../wire/metadata.ts'
import type { Call, Route } from '../wire/route.ts'
import { SOURCES } from './queue.ts'
import { checkTarget, checkVersion, drawSecret } from './target.ts'

/** Where thin events are sent, or snapshots. */
export const destinationRoutes: Route[] = [
  {
    endpoint: 'POST /v2/core/event_destinations',
    reads: [
      'enabled_events',
      'event_payload',
      'name',
      'type',
      'description',
      'events_from',
      'include',
      'metadata',
      'snapshot_api_version',
      'webhook_endpoint',
    ],
    answer: createDestination,
  },
  {
    endpoint: 'GET /v2/core/event_destinations',
    reads: ['limit', 'page', 'include'],
    answer(call) {
      const answer = pageV2(call, 'v2.core.event_destination')
      return { ...answer, data: answer.data.map((one) => shown(call, one)) }
    },
  },
  {
    endpoint: 'GET /v2/core/event_destinations/:id',
    reads: ['include'],
    answer: (call) => shown(call, call.tx.need('v2.core.event_destination', call.id)),
  },
  {
    endpoint: 'POST /v2/core/event_destinations/:id',
    reads: ['enabled_events', 'name', 'description', 'metadata', 'webhook_endpoint', 'include'],
    answer: updateDestination,
  },
  {
    endpoint: 'DELETE /v2/core/event_destinations/:id',
    reads: [],
    answer({ tx, id }) {
      tx.need('v2.core.event_destination', id)
      tx.objects.remove(id)
      return { id, object: 'v2.core.event_destination' }
    },
  },
  {
    endpoint: 'POST /v2/core/event_destinations/:id/enable',
    reads: ['include'],
    answer: (call) => switchTo(call, 'enabled'),
  },
  {
    endpoint: 'POST /v2/core/event_destinations/:id/disable',
    reads: ['include'],
    answer: (call) => switchTo(call, 'disabled'),
  },
  {
    endpoint: 'POST /v2/core/event_destinations/:id/ping',
    reads: [],
    answer({ tx, id }) {
      tx.need('v2.core.event_destination', id)
      const url = `/v2/core/event_destinations/${id}`
      emitThin(tx, 'v2.core.event_destination.ping', { id, type: 'v2.core.event_destination', url }, null, id)
      const [event] = tx.objects.list('v2.core.event', { parent: id }, { limit: 1 })
      return event
    },
  },
]

function createDestination(call: Call): unknown {
  const { tx, params } = call
  if (params.type !== 'webhook_endpoint')
    throw invalid('The payments sandbox delivers to webhook endpoints only.', 'type')
  const target = params.webhook_endpoint as { url: string } | undefined
  checkTarget(target?.url, 'webhook_endpoint.url')
  checkVersion(tx, params.snapshot_api_version, 'snapshot_api_version')
  const destination = tx.make<Stored>('v2.core.event_destination', {
    created: iso(tx.now),
    updated: iso(tx.now),
    description: params.description ?? '',
    enabled_events: params.enabled_events,
    event_payload: params.event_payload,
    events_from: readSources(params.events_from),
    metadata: mergeMetadata(null, params.metadata),
    name: params.name,
    status: 'enabled',
    type: 'webhook_endpoint',
    webhook_endpoint: { url: target?.url },
    ...(params.snapshot_api_version !== undefined && { snapshot_api_version: params.snapshot_api_version }),
  })
  tx.add(destination, {
    secret: tx.world.secrets[params.event_payload === 'thin' ? 'thin' : 'snapshot'] ?? drawSecret(),
  })
  return shown(call, destination)
}

function readSources(given: unknown): string[] {
  const sources = (given as string[] | undefined) ?? ['@self']
  const strange = sources.find((one) => !SOURCES.includes(one))
  if (strange !== undefined)
    throw invalid(
      `The payments sandbox has no events from ${strange}, only ${SOURCES.join(' and ')}.`,
      'events_from',
    )
  if (sources.length === 0) throw invalid('events_from may not be empty.', 'events_from')
  return sources
}

function updateDestination(call: Call): unknown {
  const { tx, params, id } = call
  const destination = tx.need<Stored>('v2.core.event_destination', id)
  const target = params.webhook_endpoint as { url: string } | undefined
  if (target !== undefined) checkTarget(target.url, 'webhook_endpoint.url')
  tx.change(destination, {
    ...(params.enabled_events !== undefined && { enabled_events: params.enabled_events }),
    ...(params.name !== undefined && { name: params.name }),
    ...(params.description !== undefined && { description: params.description }),
    ...(target !== undefined && { webhook_endpoint: { url: target.url } }),
    metadata: mergeMetadata(destination.metadata as Record<string, string>, params.metadata),
    updated: iso(tx.now),
  })
  return shown(call, destination)
}

function switchTo(call: Call, status: 'enabled' | 'disabled'): unknown {
  const destination = call.tx.need<Stored>('v2.core.event_destination', call.id)
  call.tx.change(destination, { status, updated: iso(call.tx.now) })
  return shown(call, destination)
}

/** Address and secret of a destination are told only when asked for. */
function shown({ tx, params }: Call, destination: Stored): Record<string, unknown> {
  const include = Array.isArray(params.include) ? (params.include as string[]) : []
  const { webhook_endpoint, ...bare } = destination
  const target: Record<string, unknown> = {}
  if (include.includes('webhook_endpoint.url')) target.url = (webhook_endpoint as { url: string }).url
  if (include.includes('webhook_endpoint.signing_secret'))
    target.signing_secret = tx.objects.hidden(destination.id).secret
  return Object.keys(target).length === 0 ? bare : { ...bare, webhook_endpoint: target }
}
