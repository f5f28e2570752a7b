import type { Queryable } from '../platform/database/queryable.ts'
import { listParkedWork, unparkWork } from './work.queries.ts'

const LISTED = 100

/** @returns a line for each of the oldest hundred events that a reader gave up */
export async function readParkedEvents(db: Queryable): Promise<string[]> {
  const parked = await listParkedWork(db, LISTED)
  return parked.map(
    ({ createdAt, eventNo, fault, kind, reader, trader, tries }) =>
      `${createdAt.toISOString()} ${reader}: ${kind}, event ${eventNo} of ${trader ?? 'a trader without a name'}, ${tries} tries: ${fault ?? ''}`,
  )
}

/** @returns how many events the reader tries again @throws when no reader is named */
export async function retryParkedEvents(db: Queryable, reader: string): Promise<number> {
  if (reader === '') throw new Error('Say which reader: the first word of a line, behind its time.')
  return unparkWork(db, reader)
}
