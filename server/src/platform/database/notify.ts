import { sql } from 'kysely'
import { coalesce } from '../cache/coalesce.ts'
import { compiledQuery, type Queryable } from './queryable.ts'

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

/**
 * The same for events: `events` names their traders, separated by commas, for open pages; `event_work` wakes the readers.
 * @param event.hasWork whether any reader has to do something about it
 */
export function notifyOfEvents(db: Queryable, event: { traderId: string; hasWork: boolean }): Promise<void> {
  const notifier = notifierOf(db)
  notifier.traders.add(event.traderId)
  notifier.hasWork ||= event.hasWork
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
  await send(db, [{ channel: 'people', payload: `${topic}:${userId}` }])
}

type Notifier = {
  traders: Set<string>
  /** Whether readers have work of any of the traders' events. */
  hasWork: boolean
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
  const notifier: Notifier = {
    traders: new Set(),
    hasWork: false,
    symbols: new Set(),
    events: coalesce(() => {
      const work = notifier.hasWork ? [{ channel: 'event_work', payload: '' }] : []
      notifier.hasWork = false
      return send(db, [...takeNames('events', notifier.traders), ...work])
    }),
    marks: coalesce(() => send(db, takeNames('marks', notifier.symbols))),
    deliveries: coalesce(() => send(db, [{ channel: 'deliveries', payload: '' }])),
    pushes: coalesce(() => send(db, [{ channel: 'pushes', payload: '' }])),
  }
  return notifier
}

type Notification = { channel: string; payload: string }

/** Empties `names`. */
function takeNames(channel: string, names: Set<string>): Notification[] {
  const taken = [...names]
  names.clear()
  const parts = Math.ceil(taken.length / NAMES_AT_ONCE)
  return Array.from({ length: parts }, (_, nth) => ({
    channel,
    payload: taken.slice(nth * NAMES_AT_ONCE, (nth + 1) * NAMES_AT_ONCE).join(),
  }))
}

async function send(db: Queryable, notifications: Notification[]): Promise<void> {
  const channels = notifications.map(({ channel }) => channel)
  const payloads = notifications.map(({ payload }) => payload)
  await notify(db, { channels, payloads }).then(nothing, nothing)
}

const notify = compiledQuery(
  (_db, { channels, payloads }: { channels: string[]; payloads: string[] }) =>
    sql`select pg_notify(channel, payload) from unnest(${channels}::text[], ${payloads}::text[]) notification (channel, payload)`,
)

const nothing = () => undefined
