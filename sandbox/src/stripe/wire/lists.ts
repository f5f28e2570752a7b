import qs from 'qs'
import type { Filter, Stored } from '../store/objects.ts'
import { invalid } from './errors.ts'
import type { Call } from './route.ts'

export type List<T = Stored> = { object: 'list'; data: T[]; has_more: boolean; url: string }

export type PageV2 = { data: Stored[]; next_page_url: string | null; previous_page_url: null }

/**
 * A page of stored objects, newest first (docs.stripe.com/api/pagination). What was deleted is no longer listed: the
 * little that is left of it lacks what Stripe's specification requires of a list's items.
 */
export function page(call: Call, type: string, filter: Filter = {}): List {
  const { params, tx } = call
  const limit = readLimit(params.limit)
  const after = cursor(call, 'starting_after')
  const before = cursor(call, 'ending_before')
  if (after !== undefined && before !== undefined)
    throw invalid('You may only specify one of these parameters: ending_before, starting_after.')
  const created = readCreated(params.created)
  const rows = tx.objects.list(
    type,
    {
      ...filter,
      empty: [...(filter.empty ?? []), 'deleted'],
      ...(created !== undefined && { created }),
    },
    { limit: limit + 1, ...(after !== undefined && { after }), ...(before !== undefined && { before }) },
  )
  const data = rows.slice(0, limit)
  return list(before === undefined ? data : data.reverse(), call.path, rows.length > limit)
}

export function list<T>(data: T[], url: string, hasMore = false): List<T> {
  return { object: 'list', data, has_more: hasMore, url }
}

/** v2 pages go by address, which repeats what was asked for; the cursor is the id of the last object shown. */
export function pageV2(call: Call, type: string, filter: Filter = {}): PageV2 {
  const { page: cursor, ...asked } = call.params
  const limit = Math.min(100, Math.max(1, Number(asked.limit ?? 20)))
  const created = readCreated(asked.created)
  const rows = call.tx.objects.list(
    type,
    { ...filter, ...(created !== undefined && { created }) },
    { limit: limit + 1, ...(cursor !== undefined && { after: String(cursor) }) },
  )
  const data = rows.slice(0, limit)
  const next = qs.stringify({ ...asked, limit, page: data.at(-1)?.id })
  return { data, next_page_url: rows.length > limit ? `${call.path}?${next}` : null, previous_page_url: null }
}

function readLimit(given: unknown): number {
  if (given === undefined) return 10
  const limit = Number(given)
  if (limit < 1)
    throw invalid('This value must be greater than or equal to 1.', 'limit', 'parameter_invalid_integer')
  if (limit > 100)
    throw invalid('This value must be less than or equal to 100.', 'limit', 'parameter_invalid_integer')
  return limit
}

function cursor(call: Call, name: 'starting_after' | 'ending_before'): string | undefined {
  const id = call.params[name]
  if (id === undefined) return undefined
  if (call.tx.objects.find(String(id)) === null)
    throw invalid(`No such object: '${String(id)}'`, name, 'resource_missing')
  return String(id)
}

function readCreated(given: unknown): NonNullable<Filter['created']> | undefined {
  if (given === undefined) return undefined
  return typeof given === 'number' ? { gte: given, lte: given } : (given as NonNullable<Filter['created']>)
}
