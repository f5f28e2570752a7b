import { randomBytes } from 'node:crypto'
import { commitTo, LEAF_FLAGS, NO_HASH, RECORD_ID_BYTES, SALT_BYTES, writeLeaf } from '@tradepost/record/leaf'
import { leafHash } from '@tradepost/record/tree'
import type { Queryable } from '../platform/database/queryable.ts'
import { type Log, reasonOf } from '../platform/log.ts'
import { appendEntries, type Batch, type NewEntry, type SignedHead } from './append.ts'
import { type StatedEvent, stateEvent } from './entry-of-event.ts'
import { type EventRow, findEventRows } from './event-facts.queries.ts'
import { sha256 } from './hashes.ts'
import { deleteWork, type HeadRow, type LockedHead, type PlanRow, type RecordRow } from './log.queries.ts'
import type { KeyDeps } from './log-keys.ts'
import { saltOf } from './salts.ts'
import { findKnown, findWaiting, type KnownRow, type WaitingEvent } from './waiting.queries.ts'

/** Events of one batch: so many take about a tenth of a second. */
const BATCH = 2000
/** An entry lies behind those before it by no more; ms. */
const MOST_BEHIND_MS = 60_000

/**
 * The outcome of events over the batches of a run. `faults`: why they could not be logged, by `eventName`; null for one that is logged, or not
 * for the log. `blocked`: traders whose later events wait for one that could not be.
 */
export type Outcome = { faults: Map<string, string | null>; blocked: Set<string> }

/** An event that the log is done with, and the request that published it. */
type DoneEvent = Pick<EventRow, 'traderId' | 'eventNo' | 'requestId'>

/** `head`: null where nothing was added. `done`: without those of before there was a log. */
export type LoggedBatch = { head: SignedHead | null; isLast: boolean; done: readonly DoneEvent[] }

export const eventName = ({ eventNo, traderId }: { traderId: string; eventNo: number }): string =>
  `${traderId} ${eventNo}`

/**
 * Adds the oldest events that wait to the log.
 * @param tx holds the lock of `head`
 * @param outcome what comes of the events is added to it; what failed is not tried again
 * @param quorum of witnesses: where some have to sign, each event waits for them in its reader's hands
 */
export async function logWaiting(
  tx: Queryable,
  deps: KeyDeps & { log: Log },
  { head, outcome, quorum }: { head: LockedHead; outcome: Outcome; quorum: number },
  now: Date,
): Promise<LoggedBatch> {
  const { blocked, faults } = outcome
  const waiting = await findWaiting(tx, [...blocked], BATCH)
  if (waiting.length === 0) return { head: null, isLast: true, done: [] }
  const batch = await readBatch(tx, head, waiting)
  const skipped: WaitingEvent[] = []
  for (const event of waiting) {
    try {
      if (blocked.has(event.traderId)) throw new Error('an earlier event of the trader is not logged')
      if (!batch.add(event, now)) skipped.push(event)
      faults.set(eventName(event), null)
    } catch (error) {
      faults.set(eventName(event), reasonOf(error))
      blocked.add(event.traderId)
    }
  }
  if (skipped.length > 0) await deleteWork(tx, skipped)
  const isLast = waiting.length < BATCH
  if (batch.entries.length === 0) return { head: null, isLast, done: [] }
  if (batch.redated > 0)
    deps.log.warn(
      { entries: batch.redated },
      'clocks disagree, or events waited: entries of the record are not dated as they were published',
    )
  const [done, named] = quorum > 0 ? [[], []] : [batch.plan, batch.published]
  const signed = await appendEntries(tx, deps, head, { ...batch.parts(), done }, now)
  return { head: signed, isLast, done: named }
}

/** A position as the log has it. */
type LoggedPosition = { openedSeq: number | null; isClosed: boolean; isStruck: boolean }

async function readBatch(tx: Queryable, head: HeadRow, waiting: readonly WaitingEvent[]) {
  const { changes, events } = await findEventRows(tx, waiting)
  const records = new Map<string, RecordRow>()
  const positions = new Map<string, LoggedPosition>()
  const quotes = new Map<string, Date>()
  const erased = new Set<string>()
  for (const known of await findKnown(tx, events)) {
    const event = events[known.nth - 1]
    if (!event) continue
    const { openPreviewId, positionId, traderId } = event
    const record = recordOf(traderId, known)
    if (record) records.set(traderId, record)
    if (known.isErased) erased.add(traderId)
    if (known.quotedAt) quotes.set(openPreviewId, known.quotedAt)
    if (known.change !== null && known.openedSeq !== null)
      note(positions, positionId, known.change, known.openedSeq)
  }
  const changesOf = Map.groupBy(changes, ({ positionId }) => positionId)
  return new BatchOfEvents({
    head,
    records,
    erased: new Set(erased),
    positions,
    rows: new Map(events.map((event) => [eventName(event), event])),
    state: (event) =>
      stateEvent(event, changesOf.get(event.positionId) ?? [], quotes.get(event.openPreviewId) ?? null),
  })
}

function recordOf(traderId: string, known: KnownRow): RecordRow | null {
  const { closedCount, lastLeaf, openCount, recordId, saltKey, seq } = known
  if (recordId === null || saltKey === null || seq === null) return null
  return {
    traderId,
    recordId,
    saltKey,
    seq,
    openCount: openCount ?? 0,
    closedCount: closedCount ?? 0,
    lastLeaf,
  }
}

function note(positions: Map<string, LoggedPosition>, id: string, change: string, seq: number): void {
  const position = positions.get(id) ?? { openedSeq: null, isClosed: false, isStruck: false }
  if (change === 'opened') position.openedSeq = seq
  if (change === 'closed') position.isClosed = true
  if (change === 'struck') position.isStruck = true
  positions.set(id, position)
}

type Given = {
  head: HeadRow
  records: Map<string, RecordRow>
  /** Traders who are erased. */
  erased: ReadonlySet<string>
  positions: Map<string, LoggedPosition>
  rows: Map<string, EventRow>
  state(event: EventRow): StatedEvent
}

/** The entries of a batch, as they grow one behind the other. */
class BatchOfEvents {
  readonly entries: NewEntry[] = []
  readonly plan: PlanRow[] = []
  /** Without those of before there was a log. */
  readonly published: DoneEvent[] = []
  redated = 0
  newestAt: number
  importsEnded: boolean
  private readonly given: Given
  private readonly byTrader: Map<string, RecordRow>

  constructor(given: Given) {
    this.given = given
    this.newestAt = given.head.newestAt
    this.importsEnded = given.head.importsEnded
    this.byTrader = new Map(given.records)
  }

  /** All of it, with the records of its entries. */
  parts(): Omit<Batch, 'done'> {
    const { entries, importsEnded, newestAt, plan } = this
    const traders = new Set(plan.map(({ traderId }) => traderId))
    const records = [...this.byTrader.values()].filter(({ traderId }) => traders.has(traderId))
    return { entries, importsEnded, newestAt, plan, records }
  }

  /** @returns false for an erased trader, whose words nobody could take back, and for a position whose opening was never published */
  add(waiting: WaitingEvent, now: Date): boolean {
    const { erased, rows, positions } = this.given
    const { eventNo, traderId } = waiting
    if (erased.has(traderId)) return false
    const row = rows.get(eventName(waiting))
    if (!row) throw new Error('there is no such event')
    const statedEvent = this.given.state(row)
    const isOpening = row.kind === 'opened'
    const position = positions.get(row.positionId) ?? { openedSeq: null, isClosed: false, isStruck: false }
    if (!row.hasOpening) return false
    const record = this.byTrader.get(traderId) ?? drawRecord(traderId)
    const seq = record.seq + 1
    if (!isOpening && position.openedSeq === null)
      throw new Error('the opening of the position is not logged')
    const counts = count(record, position, statedEvent.change)
    const isImported = waiting.isFromBefore && !this.importsEnded
    const at = isImported ? row.createdAt.getTime() : this.dateOf(row.createdAt, now)
    const leaf = writeLeaf({
      kind: statedEvent.kind,
      hold: statedEvent.hold,
      flags: statedEvent.flags + (isImported ? LEAF_FLAGS.imported : 0),
      record: new Uint8Array(record.recordId),
      seq,
      seqOfOpening: isOpening ? 0 : (position.openedSeq ?? 0),
      open: counts.openCount,
      at,
      previous: record.lastLeaf ? new Uint8Array(record.lastLeaf) : NO_HASH,
      commitment: commitTo(sha256, saltOf(record.saltKey, seq), statedEvent.text),
    })
    this.byTrader.set(traderId, { ...record, ...counts, seq, lastLeaf: Buffer.from(leafHash(sha256, leaf)) })
    note(positions, row.positionId, statedEvent.change, seq)
    if (!isImported) {
      this.published.push({ traderId, eventNo, requestId: row.requestId })
      this.importsEnded = true
      this.newestAt = Math.max(this.newestAt, at)
      if (at !== row.createdAt.getTime()) this.redated += 1
    }
    const logIndex = this.given.head.size + this.entries.length
    this.entries.push({ leaf, text: statedEvent.text, record: new Uint8Array(record.recordId) })
    this.plan.push({
      traderId,
      eventNo,
      positionId: row.positionId,
      change: statedEvent.change,
      seq,
      logIndex,
    })
    return true
  }

  /** A clock that is wrong dates no entry before what everybody has seen, and none after now. Ms since 1970. */
  private dateOf(createdAt: Date, now: Date): number {
    return Math.max(Math.min(createdAt.getTime(), now.getTime()), this.newestAt - MOST_BEHIND_MS)
  }
}

function drawRecord(traderId: string): RecordRow {
  return {
    recordId: randomBytes(RECORD_ID_BYTES),
    traderId,
    saltKey: randomBytes(SALT_BYTES),
    seq: 0,
    openCount: 0,
    closedCount: 0,
    lastLeaf: null,
  }
}

/** Counts of a record behind an event: a struck position is in neither. */
function count(
  { closedCount, openCount }: Pick<RecordRow, 'openCount' | 'closedCount'>,
  { isClosed, isStruck }: LoggedPosition,
  change: StatedEvent['change'],
): Pick<RecordRow, 'openCount' | 'closedCount'> {
  if (change === 'opened') return { openCount: openCount + 1, closedCount }
  if (change === 'closed' && !isStruck) return { openCount: openCount - 1, closedCount: closedCount + 1 }
  if (change === 'struck')
    return isClosed ? { openCount, closedCount: closedCount - 1 } : { openCount: openCount - 1, closedCount }
  return { openCount, closedCount }
}
