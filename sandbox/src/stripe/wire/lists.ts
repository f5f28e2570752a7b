import qs from 'qs'
import type { Kind, Kinds } from '../model/kinds.ts'
import { invalid } from '../refusals/errors.ts'
import { either, fields, number, type ObjectOf, optional, text } from '../shape/shape.ts'
import type { Bounds, Filter } from '../store/filter.ts'
import type { Call } from './route.ts'

export type List<T> = { object: 'list'; data: T[]; has_more: boolean; url: string }

type PageV2<T> = { data: T[]; next_page_url: string | null; previous_page_url: null }

/** Common parameters of v1 lists. */
export const PAGING = {
  limit: optional(number),
  starting_after: optional(text),
  ending_before: optional(text),
}

/** Common parameters of v2 lists. Their cursor stands in `next_page_url`, not among the parameters of the SDK's types. */
export const PAGING_V2 = { limit: optional(number), page: optional(text) }

const bounds = fields({
  gt: optional(number),
  gte: optional(number),
  lt: optional(number),
  lte: optional(number),
})

/** The parameter of lists that asks for a time, or times between bounds. */
export const CREATED = { created: optional(either(number, bounds)) }

type Created = ObjectOf<typeof CREATED>

/**
 * A page of stored objects, newest first (docs.stripe.com/api/pagination). Deleted objects are no longer listed: the
 * remainder of one lacks fields that Stripe's specification requires of a list's items.
 */
export function page<K extends Kind>(
  call: Call<ObjectOf<typeof PAGING> & Created>,
  kind: K,
  filter: Filter = {},
): List<Kinds[K]> {
  const { params, tx } = call
  const limit = readLimit(params.limit)
  const after = cursor(call, 'starting_after')
  const before = cursor(call, 'ending_before')
  if (after !== undefined && before !== undefined)
    throw invalid('You may only specify one of these parameters: ending_before, starting_after.')
  const created = readCreated(params.created)
  const rows = tx.objects.list(kind, { ...filter, created }, { limit: limit + 1, after, before })
  const data = rows.slice(0, limit)
  return list(before === undefined ? data : data.reverse(), call.path, rows.length > limit)
}

export function list<T>(data: T[], url: string, hasMore = false): List<T> {
  return { object: 'list', data, has_more: hasMore, url }
}

/** v2 pages go by address, which repeats what was asked for; the cursor is the id of the last object shown. */
export function pageV2<K extends Kind>(
  call: Call<ObjectOf<typeof PAGING_V2> & Created>,
  kind: K,
  filter: Filter = {},
): PageV2<Kinds[K]> {
  const { page: after, ...asked } = call.params
  const limit = Math.min(100, Math.max(1, asked.limit ?? 20))
  const created = readCreated(asked.created)
  const rows = call.tx.objects.list(kind, { ...filter, created }, { limit: limit + 1, after })
  const data = rows.slice(0, limit)
  const next = qs.stringify({ ...asked, limit, page: data.at(-1)?.id })
  return { data, next_page_url: rows.length > limit ? `${call.path}?${next}` : null, previous_page_url: null }
}

function readLimit(limit = 10): number {
  if (limit < 1)
    throw invalid('This value must be greater than or equal to 1.', 'limit', 'parameter_invalid_integer')
  if (limit > 100)
    throw invalid('This value must be less than or equal to 100.', 'limit', 'parameter_invalid_integer')
  return limit
}

function cursor(
  { params, tx }: Call<ObjectOf<typeof PAGING>>,
  name: 'starting_after' | 'ending_before',
): string | undefined {
  const id = params[name]
  if (id !== undefined && tx.objects.look(id) === null)
    throw invalid(`No such object: '${id}'`, name, 'resource_missing')
  return id
}

function readCreated(given: number | Bounds | undefined): Bounds | undefined {
  return typeof given === 'number' ? { gte: given, lte: given } : given
}
