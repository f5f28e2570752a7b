import { sql } from 'kysely'
import { compiledQuery } from './compiled-query.ts'
import type { Queryable } from './database.ts'
import { shareRuns } from './share-runs.ts'

/** Of one notification: its text is shorter than 8,000 bytes (PostgreSQL, NOTIFY). */
const TRADERS_AT_ONCE = 200

/**
 * Notifies those who listen of what has been committed. Called after the commit and not in the transaction: commits that notify wait
 * for one another until the disk has each (PostgreSQL, NOTIFY), so two hundred at once would wait for the disk two hundred times. A
 * process that dies in between leaves what it wrote to the sweeps of those who listen, seconds later. A notification
 * that fails does the same, since what was committed must be answered.
 */
export function notifyOfDeliveries(db: Queryable): Promise<void> {
  return notifierOf(db).deliveries()
}

/** The same for events; the notification names their traders, separated by commas. */
export function notifyOfEvents(db: Queryable, traderId: string): Promise<void> {
  const notifier = notifierOf(db)
  notifier.traders.add(traderId)
  return notifier.events()
}

type Notifier = { traders: Set<string>; events(): Promise<void>; deliveries(): Promise<void> }

const notifiers = new WeakMap<Queryable, Notifier>()

function notifierOf(db: Queryable): Notifier {
  const notifier = notifiers.get(db) ?? makeNotifier(db)
  notifiers.set(db, notifier)
  return notifier
}

function makeNotifier(db: Queryable): Notifier {
  const traders = new Set<string>()
  const send = (channel: string, payloads: string[]) =>
    notify(db, { channel, payloads }).then(nothing, nothing)
  return {
    traders,
    events: shareRuns(() => {
      const named = [...traders]
      traders.clear()
      return send('events', inParts(named))
    }),
    deliveries: shareRuns(() => send('deliveries', [''])),
  }
}

function inParts(traders: string[]): string[] {
  const parts = Math.ceil(traders.length / TRADERS_AT_ONCE)
  return Array.from({ length: parts }, (_, nth) =>
    traders.slice(nth * TRADERS_AT_ONCE, (nth + 1) * TRADERS_AT_ONCE).join(),
  )
}

const notify = compiledQuery(
  (_db, { channel, payloads }: { channel: string; payloads: string[] }) =>
    sql`select pg_notify(${channel}, payload) from unnest(${payloads}::text[]) payload`,
)

const nothing = () => undefined
