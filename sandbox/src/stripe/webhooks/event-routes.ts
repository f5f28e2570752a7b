import { SNAPSHOT_EVENTS } from '../gate/roots.ts'
import { invalid } from '../wire/errors.ts'
import { page, pageV2 } from '../wire/lists.ts'
import { PAGING, type Route } from '../wire/route.ts'

/** Events that happened, of both kinds. */
export const eventRoutes: Route[] = [
  {
    endpoint: 'GET /v1/events',
    reads: [...PAGING, 'type', 'types', 'created'],
    answer: (call) => page(call, 'event', { among: wantedTypes(call.params) }),
  },
  { endpoint: 'GET /v1/events/:id', reads: [], answer: ({ tx, id }) => tx.need('event', id) },
  {
    endpoint: 'GET /v2/core/events',
    reads: ['limit', 'page', 'object_id', 'types', 'created'],
    answer(call) {
      const { object_id, types } = call.params
      const filter = {
        ...(typeof object_id === 'string' && { parent: object_id }),
        ...(Array.isArray(types) && { among: { type: types as string[] } }),
      }
      return pageV2(call, 'v2.core.event', filter)
    },
  },
  { endpoint: 'GET /v2/core/events/:id', reads: [], answer: ({ tx, id }) => tx.need('v2.core.event', id) },
]

function wantedTypes(params: Record<string, unknown>): Record<string, string[]> {
  const types = params.types as string[] | undefined
  if (types !== undefined && params.type !== undefined)
    throw invalid('You may only specify one of these parameters: type, types.')
  if (types !== undefined && types.length > 20)
    throw invalid('You may specify at most 20 event types.', 'types')
  if (types !== undefined) return { type: types }
  if (typeof params.type !== 'string') return {}
  if (!params.type.includes('*')) return { type: [params.type] }
  const start = params.type.replace(/\*.*$/, '')
  return { type: SNAPSHOT_EVENTS.filter((type) => type.startsWith(start)) }
}
