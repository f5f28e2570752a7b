import { type RawBuilder, sql } from 'kysely'

/**
 * A part of a statement that several share: a username as names are distinguished, looked up and ordered, its letters folded and
 * compared by their bytes, whatever the language of the database is. The index accounts_username is of this.
 * @param column a username of `accounts`, as it is named in the statement
 */
export function foldedName(column: string): RawBuilder<string> {
  return sql<string>`lower(${sql.ref(column)} collate "C")`
}
