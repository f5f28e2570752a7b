import { sameBytes } from '@tradepost/record/bytes'
import { readVerifierKey } from '@tradepost/record/note'
import type { SecretKey } from '../auth/keys/secret-key.ts'
import type { EventReader } from '../events/event-reader.ts'
import { coalesce } from '../platform/cache/coalesce.ts'
import type { Clock } from '../platform/clock.ts'
import { type Queryable, withTransaction } from '../platform/database/queryable.ts'
import { newId } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import type { Settings } from '../platform/settings.ts'
import { appendEntries, type Batch, rootOf, type SignedHead } from './append.ts'
import { sha256 } from './hashes.ts'
import { type HeadFile, makeHeadFile } from './head-file.ts'
import {
  findHead,
  findRoot,
  type HeadRow,
  insertHead,
  type LockedHead,
  lockHead,
  updateNote,
} from './log.queries.ts'
import { eventName, logWaiting, type Outcome } from './log-events.ts'
import { drawLogKey, type KeyDeps, signCheckpoint, signingKey } from './log-keys.ts'
import { isLogged } from './waiting.queries.ts'
import { makeWitnessing } from './witnesses.ts'

/** The name of the log among the readers of events. */
export const RECORD_READER = 'record'

/** A page that shows an older checkpoint is frozen. */
const SIGNED_FOR_MS = 600_000

export type RecordLogDeps = {
  db: Queryable
  clock: Clock
  log: Log
  secret: SecretKey
  settings: Pick<Settings, 'origin' | 'record'>
}

/** The writer of the log in this process; any number of processes may write it. */
export type RecordLog = {
  /** Resolves when every event that was committed before the call is in a signed checkpoint, or is known to have failed. */
  ensure(): Promise<void>
  /** Why an event could not be logged in the last run; null when it could be. */
  faultOf(event: { traderId: string; eventNo: number }): Promise<string | null>
  /**
   * Signs the newest checkpoint again when it is ten minutes old, and asks witnesses who have not signed it. Has the private half of a key
   * forgotten a day after another one has replaced it.
   */
  tend(): Promise<void>
  /** Adds entries that no event caused. @param make what is to be added, behind the lock of the head */
  append(make: (tx: Queryable, head: HeadRow, now: Date) => Promise<Batch>): Promise<SignedHead>
}

/**
 * Writes the record (ADR 0120). One run at a time a process; those who come during it share the next. The head row's lock puts processes in
 * line.
 */
export function makeRecordLog(deps: RecordLogDeps): RecordLog {
  const { db } = deps
  const { dir, quorum, witnesses } = deps.settings.record
  const headFile = makeHeadFile(dir)
  const askWitnesses = makeWitnessing({ ...deps, witnesses: witnesses.flatMap(readWitness) })
  const askAgain = async (head: HeadRow | null) => {
    if (!head?.note || !head.signedAt) return
    const { logId, note, signedAt, size } = head
    await askWitnesses({ logId, size, root: rootOf(head), note, signedAt })
  }
  const handOut = async (head: SignedHead) => {
    await requireKept(db, head)
    headFile.note(head)
    const asked = askWitnesses(head)
    // Mails wait for those without whom a receipt does not count.
    if (quorum > 0) await asked
  }
  let faults: Outcome['faults'] = new Map()
  const run = async () => {
    const outcome: Outcome = { faults: new Map(), blocked: new Set() }
    let isNewlySigned = false
    for (;;) {
      const batch = await withHead(deps, headFile, (tx, head, now) =>
        logWaiting(tx, deps, { head, outcome, quorum }, now),
      )
      if (batch.head) await handOut(batch.head)
      for (const event of batch.done) deps.log.info({ ...event, reader: RECORD_READER }, 'an event was read')
      isNewlySigned ||= batch.head !== null
      if (batch.isLast) break
    }
    faults = outcome.faults
    // Another process may have logged the event that this one has in hand.
    if (quorum > 0 && !isNewlySigned) await askAgain(await findHead(db))
  }
  return {
    ensure: coalesce(run),
    async faultOf(event) {
      const fault = faults.get(eventName(event))
      if (fault !== undefined) return fault
      return (await isLogged(db, event)) ? null : 'the event is not logged yet'
    },
    async append(make) {
      const signed = await withHead(deps, headFile, async (tx, head, now) =>
        appendEntries(tx, deps, head, await make(tx, head, now), now),
      )
      await handOut(signed)
      return signed
    },
    async tend() {
      const head = await findHead(db)
      if (!head) return
      await headFile.check(db, head)
      const { note, signedAt } = head
      if (note === null || signedAt === null) return
      const isOld = deps.clock.now().getTime() - signedAt.getTime() >= SIGNED_FOR_MS
      if (isOld)
        await handOut(await withHead(deps, headFile, (tx, newest, now) => signAgain(tx, deps, newest, now)))
      else await askAgain(head)
    },
  }
}

/** Runs a transaction that holds the lock of the head, which it makes with the first one. */
function withHead<Result>(
  { clock, db, secret, settings }: RecordLogDeps,
  headFile: HeadFile,
  work: (tx: Queryable, head: LockedHead, now: Date) => Promise<Result>,
): Promise<Result> {
  return withTransaction(db, async (tx) => {
    const origin = `${new URL(settings.origin).host}/record`
    const now = clock.now()
    const begin = async () => {
      if (await insertHead(tx, { logId: newId(), origin }))
        await drawLogKey(tx, { secret }, { origin, signsFrom: now }, now)
      return lockHead(tx, now)
    }
    const head = (await lockHead(tx, now)) ?? (await begin())
    if (!head) throw new Error('the record has no head')
    await headFile.check(tx, head)
    return work(tx, head, clock.now())
  })
}

/**
 * The transaction has committed. Where the answer to that was lost, nothing is handed out, and the next run finds what the database has.
 * @throws when another root is there than was signed
 */
async function requireKept(db: Queryable, head: SignedHead): Promise<void> {
  const kept = await findRoot(db, head.size)
  if (kept === null || !sameBytes(new Uint8Array(kept), head.root))
    throw new Error('the database does not have the checkpoint that it committed')
}

async function signAgain(tx: Queryable, deps: KeyDeps, head: LockedHead, now: Date): Promise<SignedHead> {
  const { logId, note: before, origin, size } = head
  const root = rootOf(head)
  const note = signCheckpoint(await signingKey(tx, deps, head), { origin, size, root }, now)
  await updateNote(tx, { size, before: before ?? '', note, signedAt: now })
  return { logId, size, root, note, signedAt: now }
}

function readWitness({ url, vkey }: { vkey: string; url: string }) {
  const key = readVerifierKey(sha256, vkey)
  return key ? [{ key, url }] : []
}

/** Logs every event (ADR 0120). */
export function recordReader(record: RecordLog): EventReader {
  return {
    name: RECORD_READER,
    from: 'the first event',
    beforeMails: true,
    // What fails here is given to `handle`, which has it tried again later.
    handleUnleased: () => record.ensure().catch(() => undefined),
    async handle(event) {
      await record.ensure()
      const fault = await record.faultOf(event)
      if (fault !== null) throw new Error(fault)
    },
  }
}
