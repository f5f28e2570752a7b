import { type RawBuilder, sql } from 'kysely'
import { compiledQuery } from '../../platform/database/queryable.ts'

/**
 * A page of what is kept about a person, in the order of its keys. The conditions of a statement take from it what they need.
 * @property after the key that the page begins behind
 * @property at rows that were made later are left out
 */
export type PersonPage = {
  userId: string
  email: string
  /** Keyed hashes of the address, as the audit log has them. */
  emailHmacs: string[]
  after: string
  at: Date
  limit: number
}

/** A row with its key; the other columns are those of its table (tables/*.ts). */
export type KeyedRow = Record<string, unknown> & { key: string }

type PageOf = {
  columns: RawBuilder<unknown>
  from: RawBuilder<unknown>
  whose: (person: Pick<PersonPage, 'userId' | 'email' | 'emailHmacs'>) => RawBuilder<unknown>
  /** Says which row it is, among the person's. */
  key: RawBuilder<unknown>
  /** When a row was made, where rows are many. */
  made?: RawBuilder<unknown>
}

/** Selects pages by keys that are ids. */
export const pageById = (of: PageOf) => pageBy('uuid', of)
/** Selects pages by keys that are numbers. */
export const pageByNumber = (of: PageOf) => pageBy('bigint', of)
/** Selects pages by keys that are texts. */
export const pageByText = (of: PageOf) => pageBy('text', of)

function pageBy(type: 'uuid' | 'text' | 'bigint', { columns, from, key, made, whose }: PageOf) {
  const typed = sql.raw(type)
  return compiledQuery((_db, { after, at, email, emailHmacs, limit, userId }: PersonPage) => {
    const until = made ? sql` and ${made} <= ${at}` : sql``
    return sql<KeyedRow>`
    select ${columns}, ${key}::text as key from ${from}
    where ${whose({ userId, email, emailHmacs })} and ${key} > ${after}::${typed}${until}
    order by ${key} limit ${limit}`
  })
}
