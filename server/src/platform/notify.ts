import { sql } from 'kysely'
import { compiledQuery } from './compiled-query.ts'
import type { Queryable } from './database.ts'
import { shareRuns } from './share-runs.ts'

type Channel = 'events' | 'deliveries'

/**
 * Notifies those who listen of what has been committed. Called after the commit and not in the transaction: commits that notify wait
 * for one another until the disk has each (PostgreSQL, NOTIFY), so two hundred at once would wait for the disk two hundred times. A
 * process that dies in between leaves what it wrote to the sweeps of those who listen, at most two seconds later. A notification
 * that fails does the same, since what was committed must be answered.
 */
export function notifyOf(db: Queryable, channel: Channel): Promise<void> {
  const ofDatabase = notifiers.get(db) ?? makeNotifiers(db)
  notifiers.set(db, ofDatabase)
  return ofDatabase[channel]()
}

const notifiers = new WeakMap<Queryable, Record<Channel, () => Promise<void>>>()

function makeNotifiers(db: Queryable): Record<Channel, () => Promise<void>> {
  const of = (channel: Channel) => shareRuns(() => notify(db, { channel }).then(nothing, nothing))
  return { events: of('events'), deliveries: of('deliveries') }
}

const notify = compiledQuery(
  (_db, { channel }: { channel: Channel }) => sql`select pg_notify(${channel}, '')`,
)

const nothing = () => undefined
