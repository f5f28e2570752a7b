/** The operator's commands on the record (ADR 0120). */

import { type EntryText, writeEntryText } from '@tradepost/record/entry-text'
import { commitTo, LEAF_FLAGS, NO_HASH, NO_RECORD, writeLeaf } from '@tradepost/record/leaf'
import { leafHash } from '@tradepost/record/tree'
import type { SecretKey } from '../auth/keys/secret-key.ts'
import { unparkWork } from '../events/work.queries.ts'
import { type Queryable, withTransaction } from '../platform/database/queryable.ts'
import type { Settings } from '../platform/settings.ts'
import type { Batch, NewEntry } from './append.ts'
import { sha256 } from './hashes.ts'
import { goesOn, readHeadFile } from './head-file.ts'
import { findGaps, findHead, findRecord, type HeadRow, insertGap, lockHead } from './log.queries.ts'
import { findLogKeys } from './log-keys.queries.ts'
import { drawLogKey } from './log-keys.ts'
import { deleteWordsOf } from './openings.queries.ts'
import { signedBy } from './quorum.ts'
import { RECORD_READER, type RecordLog } from './record-log.ts'
import { NO_SALT } from './salts.ts'

const DAY_MS = 86_400_000

/** How the record stands, for a person. */
export async function describeRecord(db: Queryable, settings: Pick<Settings, 'record'>): Promise<string> {
  const { dir, witnesses } = settings.record
  const head = await findHead(db)
  if (!head?.note || !head.signedAt) return 'The record has no entry yet.'
  const signed = signedBy(head.note, witnesses)
  const newest = readHeadFile(dir, head.logId)
  const lines = [
    `${head.origin}: ${head.size} entries, signed ${head.signedAt.toISOString()}, by ${signed.length} of ${witnesses.length} witnesses.`,
    ...(await findLogKeys(db)).map(({ signs_from, vkey }) => `From ${signs_from.toISOString()} on: ${vkey}`),
    ...(await findGaps(db)).map(
      ({ lostSize, publishedAt, resumedAtSize }) =>
        `Published ${publishedAt.toISOString()}: it went on at ${resumedAtSize} entries without what was signed at ${lostSize}.`,
    ),
  ]
  if (newest && !(await goesOn(db, head, newest.checkpoint)))
    lines.push(`This host has signed ${newest.checkpoint.size} entries: the database is an older one.`)
  return lines.join('\n')
}

/**
 * Publishes that a restored backup has lost entries for which people hold receipts, and lets the record go on. Runs where the file of the
 * newest checkpoint is.
 * @param folder of that file
 * @returns a sentence of what was lost
 */
export function resumeRecord(db: Queryable, folder: string, now: Date): Promise<string> {
  return withTransaction(db, async (tx) => {
    const head = await lockHead(tx, now)
    const newest = head && readHeadFile(folder, head.logId)
    if (!head || !newest || (await goesOn(tx, head, newest.checkpoint)))
      return 'Nothing is missing: the record goes on what this host has signed.'
    const { checkpoint, note } = newest
    const lost = { resumedAtSize: head.size, lostSize: checkpoint.size, lostNote: note, publishedAt: now }
    await insertGap(tx, lost)
    await unparkWork(tx, RECORD_READER)
    return `Published: the record goes on at ${head.size} entries without what was signed at ${checkpoint.size}.`
  })
}

/**
 * Announces a new key a day before it signs, with an entry under the old one.
 * @returns when it signs
 */
export async function rotateLogKey(
  { db, record, secret }: { db: Queryable; record: RecordLog; secret: SecretKey },
  now: Date,
): Promise<Date> {
  const announced = (await findLogKeys(db)).findLast(({ signs_from }) => signs_from > now)
  if (announced) return announced.signs_from
  const signsFrom = new Date(now.getTime() + DAY_MS)
  await record.append(async (tx, head, at) => {
    const vkey = await drawLogKey(tx, { secret }, { origin: head.origin, signsFrom }, at)
    return ownBatch(head, { kind: 'key', verifierKey: vkey, day: signsFrom.toISOString().slice(0, 10) }, at)
  })
  return signsFrom
}

function ownBatch(head: HeadRow, entry: EntryText & { kind: 'key' }, at: Date): Batch {
  const text = writeEntryText(entry)
  const leaf = writeLeaf({
    kind: entry.kind,
    hold: 0,
    // Imported ones stand before all others.
    flags: head.importsEnded ? 0 : LEAF_FLAGS.imported,
    record: NO_RECORD,
    seq: 0,
    seqOfOpening: 0,
    open: 0,
    at: at.getTime(),
    previous: NO_HASH,
    commitment: commitTo(sha256, NO_SALT, text),
  })
  return batchOf(head, { leaf, text, record: null }, at)
}

function batchOf(head: HeadRow, entry: NewEntry, at: Date): Batch {
  return {
    entries: [entry],
    plan: [],
    done: [],
    records: [],
    newestAt: Math.max(head.newestAt, at.getTime()),
    importsEnded: head.importsEnded,
  }
}

/**
 * Makes a trader's entries say nothing any more: the words and the key that opens them are gone, an entry says that they are. Followers
 * can still open what they hold.
 * @returns false for somebody without a record, or whose record is erased
 */
export async function eraseRecord(
  { db, record }: { db: Queryable; record: RecordLog },
  traderId: string,
): Promise<boolean> {
  // Whatever waits is logged first: without the key it could not be.
  await record.ensure()
  if (!(await findRecord(db, traderId))) return false
  await record.append(async (tx, head, at) => {
    const known = await findRecord(tx, traderId)
    if (!known) throw new Error('the record is being erased by somebody else')
    const text = writeEntryText({ kind: 'erased' })
    const seq = known.seq + 1
    const leaf = writeLeaf({
      kind: 'erased',
      hold: 0,
      flags: 0,
      record: new Uint8Array(known.recordId),
      seq,
      seqOfOpening: 0,
      open: 0,
      at: at.getTime(),
      previous: known.lastLeaf ? new Uint8Array(known.lastLeaf) : NO_HASH,
      commitment: commitTo(sha256, NO_SALT, text),
    })
    await deleteWordsOf(
      tx,
      { record: known.recordId, seq, lastLeaf: Buffer.from(leafHash(sha256, leaf)) },
      at,
    )
    return batchOf(head, { leaf, text, record: null }, at)
  })
  return true
}
