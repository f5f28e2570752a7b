import { SNAPSHOT_EVENTS } from '../gate/roots.ts'
import { invalid } from '../refusals/errors.ts'
import { arrayOf, type ObjectOf, optional, text } from '../shape/shape.ts'
import { CREATED, PAGING, PAGING_V2, page, pageV2 } from '../wire/lists.ts'
import { type Route, route } from '../wire/route.ts'

const LIST = { ...PAGING, ...CREATED, type: optional(text), types: optional(arrayOf(text)) }
const LIST_V2 = { ...PAGING_V2, ...CREATED, object_id: optional(text), types: optional(arrayOf(text)) }

/** Events that happened, of both kinds. */
export const eventRoutes: Route[] = [
  route('GET /v1/events', LIST, (call) => page(call, 'event', { among: wantedTypes(call.params) })),
  route('GET /v1/events/:id', {}, ({ tx, id }) => tx.need('event', id)),
  route('GET /v2/core/events', LIST_V2, (call) => {
    const { object_id, types } = call.params
    const among = types === undefined ? {} : { type: types }
    return pageV2(call, 'v2.core.event', { parent: object_id, among })
  }),
  route('GET /v2/core/events/:id', {}, ({ tx, id }) => tx.need('v2.core.event', id)),
]

function wantedTypes({ type, types }: ObjectOf<typeof LIST>): Record<string, readonly string[]> {
  if (types !== undefined && type !== undefined)
    throw invalid('You may only specify one of these parameters: type, types.')
  if (types !== undefined && types.length > 20)
    throw invalid('You may specify at most 20 event types.', 'types')
  if (types !== undefined) return { type: types }
  if (type === undefined) return {}
  if (!type.includes('*')) return { type: [type] }
  const start = type.replace(/\*.*$/, '')
  return { type: SNAPSHOT_EVENTS.filter((one) => one.startsWith(start)) }
}
