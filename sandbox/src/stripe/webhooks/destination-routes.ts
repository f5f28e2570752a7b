import { SOURCES } from '../delivery/queue.ts'
import type { Destination } from '../model/webhooks.ts'
import { invalid } from '../refusals/errors.ts'
import { anything, arrayOf, fields, oneOf, optional, text, whole } from '../shape/shape.ts'
import { PAGING_V2, pageV2 } from '../wire/lists.ts'
import { mergeMetadata } from '../wire/metadata.ts'
import { type Call, type CallWith, type Route, route } from '../wire/route.ts'
import { emitThin, iso } from '../world/thin-events.ts'
import type { Tx } from '../world/world.ts'
import { checkTarget, checkVersion, drawSecret } from './target.ts'

const TYPE = 'v2.core.event_destination'

const INCLUDE = { include: optional(arrayOf(text)) }

const CREATE = {
  ...INCLUDE,
  enabled_events: arrayOf(text),
  event_payload: oneOf('snapshot', 'thin'),
  name: text,
  type: text,
  description: optional(text),
  events_from: optional(arrayOf(text)),
  metadata: optional(anything),
  snapshot_api_version: optional(text),
  webhook_endpoint: optional(whole(fields({ url: text }))),
}

const UPDATE = {
  ...INCLUDE,
  enabled_events: optional(arrayOf(text)),
  name: optional(text),
  description: optional(text),
  metadata: optional(anything),
  webhook_endpoint: optional(whole(fields({ url: text }))),
}

/** Where thin events are sent, or snapshots. */
export const destinationRoutes: Route[] = [
  route('POST /v2/core/event_destinations', CREATE, createDestination),
  route('GET /v2/core/event_destinations', { ...PAGING_V2, ...INCLUDE }, (call) => {
    const answer = pageV2(call, TYPE)
    return { ...answer, data: answer.data.map((one) => shown(call.tx, one, call.params.include)) }
  }),
  route('GET /v2/core/event_destinations/:id', INCLUDE, ({ tx, params, id }) =>
    shown(tx, tx.need(TYPE, id), params.include),
  ),
  route('POST /v2/core/event_destinations/:id', UPDATE, updateDestination),
  route('DELETE /v2/core/event_destinations/:id', {}, ({ tx, id }) => {
    tx.need(TYPE, id)
    tx.objects.remove(id)
    return { id, object: TYPE }
  }),
  route('POST /v2/core/event_destinations/:id/enable', {}, (call) => switchTo(call, 'enabled')),
  route('POST /v2/core/event_destinations/:id/disable', {}, (call) => switchTo(call, 'disabled')),
  route('POST /v2/core/event_destinations/:id/ping', {}, ping),
]

function ping({ tx, id }: Call): unknown {
  tx.need(TYPE, id)
  const url = `/v2/core/event_destinations/${id}`
  emitThin(tx, `${TYPE}.ping`, { id, type: TYPE, url }, null, id)
  const [event] = tx.objects.list('v2.core.event', { parent: id }, { limit: 1 })
  return event
}

function createDestination({ tx, params }: CallWith<typeof CREATE>): unknown {
  if (params.type !== 'webhook_endpoint')
    throw invalid('The payments sandbox delivers to webhook endpoints only.', 'type')
  const url = params.webhook_endpoint?.url
  checkTarget(url, 'webhook_endpoint.url')
  checkVersion(tx, params.snapshot_api_version, 'snapshot_api_version')
  const destination = tx.make(TYPE, {
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
    webhook_endpoint: { url },
    snapshot_api_version: params.snapshot_api_version,
  })
  tx.add(destination, { notes: { secret: tx.world.secrets[params.event_payload] ?? drawSecret() } })
  return shown(tx, destination, params.include)
}

function readSources(sources: string[] = ['@self']): string[] {
  const strange = sources.find((one) => !SOURCES.includes(one))
  if (strange !== undefined)
    throw invalid(
      `The payments sandbox has no events from ${strange}, only ${SOURCES.join(' and ')}.`,
      'events_from',
    )
  if (sources.length === 0) throw invalid('events_from may not be empty.', 'events_from')
  return sources
}

function updateDestination({ tx, params, id }: CallWith<typeof UPDATE>): unknown {
  const destination = tx.need(TYPE, id)
  const { webhook_endpoint: target, enabled_events, name, description } = params
  if (target !== undefined) checkTarget(target.url, 'webhook_endpoint.url')
  tx.change(destination, {
    ...(enabled_events !== undefined && { enabled_events }),
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(target !== undefined && { webhook_endpoint: { url: target.url } }),
    metadata: mergeMetadata(destination.metadata, params.metadata),
    updated: iso(tx.now),
  })
  return shown(tx, destination, params.include)
}

function switchTo({ tx, id }: Pick<Call, 'tx' | 'id'>, status: Destination['status']): unknown {
  const destination = tx.need(TYPE, id)
  tx.change(destination, { status, updated: iso(tx.now) })
  return shown(tx, destination)
}

/** Address and secret of a destination are in the answer only when asked for. */
function shown(tx: Tx, destination: Destination, include: string[] = []): Record<string, unknown> {
  const { webhook_endpoint, ...bare } = destination
  const target: Record<string, unknown> = {}
  if (include.includes('webhook_endpoint.url')) target.url = webhook_endpoint.url
  if (include.includes('webhook_endpoint.signing_secret'))
    target.signing_secret = tx.objects.notes(TYPE, destination.id).secret
  return Object.keys(target).length === 0 ? bare : { ...bare, webhook_endpoint: target }
}
