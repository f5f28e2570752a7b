import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readCheckpoint } from '@tradepost/record/checkpoint'
import { LEAF_FLAGS, type Leaf, NO_HASH, readLeaf } from '@tradepost/record/leaf'
import { readNote, readVerifierKey, type VerifyEd25519 } from '@tradepost/record/note'
import type { Policy } from '@tradepost/record/receipt'
import { treeOf } from '@tradepost/record/test-tree'
import { leafHash } from '@tradepost/record/tree'
import { expect } from 'vitest'
import { makeSecretKey } from '../src/auth/keys/secret-key.ts'
import { registerReader } from '../src/events/run-readers.ts'
import { sha256, verifyEd25519 } from '../src/record/hashes.ts'
import { makeRecordLog, RECORD_READER, type RecordLog, recordReader } from '../src/record/record-log.ts'
import type { TestApp } from './build-test-app.ts'
import { testDataDir } from './database/data-dir.ts'
import { silentLog } from './database/database.ts'

/** The writer of an app's record, as a worker has it. @param folder of the newest checkpoint; a new one unless given */
export function makeTestRecord(
  { clock, db, settings }: Pick<TestApp, 'clock' | 'db' | 'settings'>,
  folder = mkdtempSync(join(testDataDir, 'record-')),
): RecordLog & {
  reader: ReturnType<typeof recordReader>
  folder: string
  /** The newest checkpoint outside the database; null before the first. */
  readFile(): string | null
  sha256: typeof sha256
  verify: VerifyEd25519
} {
  const log = makeRecordLog({
    clock,
    db,
    log: silentLog,
    secret: makeSecretKey(settings.authSecret),
    settings: { origin: settings.origin, record: { ...settings.record, dir: folder } },
  })
  const readFile = () => {
    const [file] = existsSync(folder) ? readdirSync(folder) : []
    return file === undefined ? null : readFileSync(join(folder, file), 'utf8')
  }
  return { ...log, reader: recordReader(log), folder, readFile, sha256, verify: verifyEd25519 }
}

/** An entry of the log as everybody gets it, with what only the database has. */
export type LoggedEntry = Leaf & { index: number; hash: string; text: string[] | null; trader: string | null }

/** Every entry, in order. `text`: null once the person is erased. */
export async function readLog({ pool }: Pick<TestApp, 'pool'>): Promise<LoggedEntry[]> {
  const { rows } = await pool.query<{
    index: string
    leaf: Buffer
    text: string | null
    trader: string | null
  }>(
    `select entry.log_index as index, entry.leaf, words.text, record.trader_id as trader
     from record_entries entry left join record_texts words using (log_index)
       left join records record on record.record_id = substr(entry.leaf, 5, 16)
     order by log_index`,
  )
  return rows.map(({ index, leaf, text, trader }) => {
    const facts = readLeaf(new Uint8Array(leaf))
    if (!facts) throw new Error(`entry ${index} is no leaf`)
    return {
      ...facts,
      index: Number(index),
      hash: toHex(leafHash(sha256, new Uint8Array(leaf))),
      text: text === null ? null : JSON.parse(text),
      trader,
    }
  })
}

const toHex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

/**
 * Checks the whole log: no gap, every root that was signed, full tiles, and each record's numbers, chain and dates (A6 to A8, A11).
 * @returns its entries
 */
export async function checkLog(testApp: Pick<TestApp, 'pool'>): Promise<LoggedEntry[]> {
  const { pool } = testApp
  const entries = await readLog(testApp)
  expect(entries.map(({ index }) => index)).toEqual(entries.map((_, index) => index))
  const leaves = await pool.query<{ leaf: Buffer; leaf_hash: Buffer }>(
    'select leaf, leaf_hash from record_entries order by log_index',
  )
  const tree = treeOf(
    sha256,
    leaves.rows.map(({ leaf }) => new Uint8Array(leaf)),
  )
  expect(leaves.rows.map(({ leaf_hash }) => toHex(leaf_hash))).toEqual(entries.map(({ hash }) => hash))
  const signed = await pool.query<{ size: string; root: Buffer }>(
    'select size, root from record_checkpoints order by size',
  )
  for (const { root, size } of signed.rows) expect(toHex(root)).toBe(toHex(tree.root(Number(size))))
  const { rows: heads } = await pool.query('select size, note from record_head')
  expect(readCheckpoint(readNote(heads[0]?.note ?? '')?.text ?? '')).toMatchObject({
    size: entries.length,
    root: tree.root(entries.length),
  })
  expect(Number(heads[0].size)).toBe(entries.length)
  const tiles = await pool.query(
    'select tile_index, root from record_tiles where level = 0 order by tile_index',
  )
  expect(tiles.rows.map(({ root }) => toHex(root))).toEqual(
    Array.from({ length: Math.floor(entries.length / 256) }, (_, at) =>
      toHex(tree.range([at * 256, (at + 1) * 256])),
    ),
  )
  let newest = 0
  const last = new Map<string, { seq: number; hash: string }>()
  for (const { at, flags, hash, previous, record, seq } of entries) {
    if (flags < LEAF_FLAGS.imported) expect(at).toBeGreaterThanOrEqual(newest - 60_000)
    newest = Math.max(newest, at)
    if (seq === 0) continue
    const before = last.get(toHex(record)) ?? { seq: 0, hash: toHex(NO_HASH) }
    expect({ seq, previous: toHex(previous) }).toEqual({ seq: before.seq + 1, previous: before.hash })
    last.set(toHex(record), { seq, hash })
  }
  return entries
}

/** Has the reader given events from now on, as the start of a worker does. */
export function registerRecord({ clock, db }: Pick<TestApp, 'clock' | 'db'>): Promise<void> {
  return registerReader(db, { name: RECORD_READER, from: 'the first event' }, clock.now())
}

/** The keys that count in a receipt, as a verifier gets them from `/record/keys`. */
export async function policyOf({ app }: Pick<TestApp, 'app'>): Promise<Policy> {
  const { log, origin, quorum, witnesses } = (await app.inject('/record/keys')).json()
  const keysOf = (vkeys: string[]) => vkeys.flatMap((vkey) => readVerifierKey(sha256, vkey) ?? [])
  return {
    origin,
    logKeys: keysOf(log).filter(({ type }) => type === 4),
    witnesses: keysOf(witnesses),
    quorum,
  }
}
