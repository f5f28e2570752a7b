import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sameBytes } from '@tradepost/record/bytes'
import { type Checkpoint, readCheckpoint } from '@tradepost/record/checkpoint'
import { readNote } from '@tradepost/record/note'
import type { Queryable } from '../platform/database/queryable.ts'
import { rootOf, type SignedHead } from './append.ts'
import { findGaps, findRoot, type HeadRow } from './log.queries.ts'

/**
 * The database has fewer entries than were signed, or others: it was restored from a backup. Signing on would show two histories to people
 * who hold receipts.
 */
class RecordBehind extends Error {
  constructor(signed: number, size: number) {
    super(
      `the record of ${size} entries does not go on the ${signed} that were signed: the database is an older one. \`npm run operator -- record resume\` publishes the gap and goes on`,
    )
  }
}

/** The newest checkpoint that this host has signed, in a file outside the database (ADR 0120). */
export type HeadFile = {
  /** @throws RecordBehind when the database does not go on what was signed */
  check(tx: Queryable, head: HeadRow): Promise<void>
  /** The file outlives the process; it does not wait for the disk, which the database's commit has done. */
  note(head: SignedHead): void
}

/** @param folder made with the first checkpoint */
export function makeHeadFile(folder: string): HeadFile {
  const known = new Map<string, Checkpoint | null>()
  return {
    async check(tx, head) {
      const { logId } = head
      if (!known.has(logId)) known.set(logId, readHeadFile(folder, logId)?.checkpoint ?? null)
      const newest = known.get(logId)
      if (!newest || newest.size === 0) return
      if (!(await goesOn(tx, head, newest)) && !(await isPublishedGap(tx, newest)))
        throw new RecordBehind(newest.size, head.size)
    },
    note({ logId, note, root, size }) {
      known.set(logId, { origin: '', size, root })
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const path = join(folder, logId)
      const written = `${path}.${process.pid}`
      writeFileSync(written, note, { mode: 0o600 })
      renameSync(written, path)
    },
  }
}

/** @returns null where this host has signed none */
export function readHeadFile(folder: string, logId: string): { note: string; checkpoint: Checkpoint } | null {
  const path = join(folder, logId)
  if (!existsSync(path)) return null
  const note = readFileSync(path, 'utf8')
  const checkpoint = readCheckpoint(readNote(note)?.text ?? '')
  if (!checkpoint) throw new Error(`${path} holds no checkpoint`)
  return { note, checkpoint }
}

/** Whether the database has every entry that was signed. */
export async function goesOn(db: Queryable, head: HeadRow, { root, size }: Checkpoint): Promise<boolean> {
  if (size > head.size) return false
  const kept = size === head.size ? rootOf(head) : await findRoot(db, size)
  return kept !== null && sameBytes(new Uint8Array(kept), root)
}

async function isPublishedGap(db: Queryable, { root, size }: Checkpoint): Promise<boolean> {
  const gaps = await findGaps(db)
  return gaps.some(({ lostNote }) => {
    const lost = readCheckpoint(readNote(lostNote)?.text ?? '')
    return lost?.size === size && sameBytes(lost.root, root)
  })
}
