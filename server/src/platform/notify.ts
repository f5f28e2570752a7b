import { sql } from 'kysely'
import { compiledQuery } from './compiled-query.ts'
import type { Queryable } from './database.ts'
import { shareRuns } from './share-runs.ts'

/** Of one notification, traders' ids or symbols: its text is shorter than 8,000 bytes (PostgreSQL, NOTIFY). */
const NAMES_AT_ONCE = 200

/**
 * Notifies those who listen of what has been committed. Called after the commit and not in the transaction: commits that notify wait
 * for one another until the disk has each (PostgreSQL, NOTIFY), so two hundred at once would wait for the disk two hundred times. A
 * process that dies in between leaves what it wrote to the sweeps of those who listen, seconds later. A notification
 * that fails does the same, since what was committed must be answered.
 */
export function notifyOfDeliveries(db: Queryable): Promise<void> {
  return notifierOf(db).deliveries()
}

/** The same for what is pushed to devices. */
export function notifyOfPushes(db: Queryable): Promise<void> {
  return notifierOf(db).pushes()
}

/** The same for events; the notification names their traders, separated by commas. */
export function notifyOfEvents(db: Queryable, traderId: string): Promise<void> {
  const notifier = notifierOf(db)
  notifier.traders.add(traderId)
  return notifier.events()
}

/** The same for symbols that the price provider was asked about. */
export function notifyOfMarks(db: Queryable, symbol: string): Promise<void> {
  const notifier = notifierOf(db)
  notifier.symbols.add(symbol)
  return notifier.marks()
}

/** The same for something of one person's own, which live feeds pass on to all of their pages. */
export async function notifyOfPerson(db: Queryable, topic: 'activity', userId: string): Promise<void> {
  await notify(db, { channel: 'people', payloads: [`${topic}:${userId}`] }).then(nothing, nothing)
}

type Notifier = {
  traders: Set<string>
  symbols: Set<string>
  events(): Promise<void>
  marks(): Promise<void>
  deliveries(): Promise<void>
  pushes(): Promise<void>
}

const notifiers = new WeakMap<Queryable, Notifier>()

function notifierOf(db: Queryable): Notifier {
  const notifier = notifiers.get(db) ?? makeNotifier(db)
  notifiers.set(db, notifier)
  return notifier
}

function makeNotifier(db: Queryable): Notifier {
  const traders = new Set<string>()
  const symbols = new Set<string>()
  const send = (channel: string, payloads: string[]) =>
    notify(db, { channel, payloads }).then(nothing, nothing)
  const sendNamed = (channel: string, names: Set<string>) => {
    const named = [...names]
    names.clear()
    return send(channel, inParts(named))
  }
  return {
    traders,
    symbols,
    events: shareRuns(() => sendNamed('events', traders)),
    marks: shareRuns(() => sendNamed('marks', symbols)),
    deliveries: shareRuns(() => send('deliveries', [''])),
    pushes: shareRuns(() => send('pushes', [''])),
  }
}

function inParts(names: string[]): string[] {
  const parts = Math.ceil(names.length / NAMES_AT_ONCE)
  return Array.from({ length: parts }, (_, nth) =>
    names.slice(nth * NAMES_AT_ONCE, (nth + 1) * NAMES_AT_ONCE).join(),
  )
}

const notify = compiledQuery(
  (_db, { channel, payloads }: { channel: string; payloads: string[] }) =>
    sql`select pg_notify(${channel}, payload) from unnest(${payloads}::text[]) payload`,
)

const nothing = () => undefined
