import { toBase64Url } from '@tradepost/record/bytes'
import { readNote, type SignatureLine } from '@tradepost/record/note'
import { writeReceipt } from '@tradepost/record/receipt'
import { inclusionRanges } from '@tradepost/record/tree'
import type { EventKey } from '../events/events.queries.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import type { PositionKey } from '../positions/record/adjustments.queries.ts'
import { hasQuorum, type Witnessing } from './quorum.ts'
import { readHashes } from './read-hashes.ts'
import {
  findLoggedAfter,
  findLoggedEvent,
  findLoggedEvents,
  type LoggedEvent,
  type LoggedPage,
} from './receipts.queries.ts'
import { saltOf } from './salts.ts'

/** Time and signature: the timed type. */
const TIMED_BYTES = 72

/** A receipt of an event (record/src/receipt.ts). */
export type EventReceipt = {
  /** Number of the entry, from 0. */
  index: number
  /** Of the tree that it is proven in. */
  size: number
  /** Base64url, as it stands in links. */
  receipt: string
}

/** @returns null while the event is not logged, or too few witnesses have signed, and once its person is erased */
export async function receiptOf(
  db: Queryable,
  event: EventKey,
  witnessing: Witnessing,
): Promise<EventReceipt | null> {
  const [receipt] = await makeReceipts(db, await findLoggedEvent(db, event), witnessing)
  return receipt ?? null
}

/** The receipts of a position's events that are logged, the oldest first; none while too few witnesses have signed. */
export async function receiptsOf(
  db: Queryable,
  position: PositionKey,
  witnessing: Witnessing,
): Promise<EventReceipt[]> {
  return makeReceipts(db, await findLoggedEvents(db, position), witnessing)
}

/** A receipt and the event that it is of. */
export type NamedReceipt = EventReceipt & Pick<LoggedEvent, 'eventNo' | 'positionId' | 'change'>

/**
 * A page of receipts of a trader's events, in the order of their numbers.
 * @returns `last`: the number that the next page comes behind; null behind the last page
 */
export async function receiptsAfter(
  db: Queryable,
  page: LoggedPage,
  witnessing: Witnessing,
): Promise<{ receipts: NamedReceipt[]; last: number | null }> {
  const logged = await findLoggedAfter(db, page)
  const events = logged.filter(({ note }) => hasQuorum(note, witnessing))
  const receipts = await makeReceipts(db, events, witnessing)
  return {
    receipts: receipts.map((receipt, nth) => {
      const { change = '', eventNo = 0, positionId = '' } = events[nth] ?? {}
      return { ...receipt, eventNo, positionId, change }
    }),
    last: logged.length < page.limit ? null : (logged.at(-1)?.eventNo ?? null),
  }
}

async function makeReceipts(
  db: Queryable,
  logged: readonly LoggedEvent[],
  witnessing: Witnessing,
): Promise<EventReceipt[]> {
  const events = logged.filter(({ note }) => hasQuorum(note, witnessing))
  const paths = events.map(({ index, size }) => inclusionRanges(index, size))
  const hashes = await readHashes(db, paths.flat())
  return events.map(({ index, leaf, note, saltKey, seq, size, text }, nth) => {
    const receipt = writeReceipt({
      leaf: new Uint8Array(leaf),
      salt: saltOf(saltKey, seq),
      text,
      index,
      size,
      path: hashes.splice(0, paths[nth]?.length ?? 0),
      signatures: timedSignatures(note),
    })
    return { index, size, receipt: toBase64Url(receipt) }
  })
}

/** Signatures of the log and of witnesses that say when they were made; no other counts in a receipt. */
function timedSignatures(note: string): SignatureLine[] {
  return (readNote(note)?.signatures ?? []).filter(({ signature }) => signature.length === TIMED_BYTES)
}
