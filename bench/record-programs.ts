import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ed25519Of, sha256 } from '../record/programs/node-crypto.ts'
import { utf8 } from '../record/src/bytes.ts'
import { writeCheckpoint } from '../record/src/checkpoint.ts'
import { NO_HASH, writeLeaf } from '../record/src/leaf.ts'
import { signedBytes, verifierKey, writeNote, writeSignature, writeVerifierKey } from '../record/src/note.ts'
import { readTilePath, TILE_WIDTH, writeBundle } from '../record/src/tiles.ts'
import { joinSubtrees, leafHash, nodeHash, subtreesOf } from '../record/src/tree.ts'

const LEAVES = Number(process.env.RECORD_LEAVES ?? 1_000_000)
const TRADERS = 2000
const ORIGIN = 'tradepost.example/record'
const HASH_BYTES = 32

/** The programs that check the record, on a log of a million openings within their declared hold: a mirror from nothing, one that goes on, an audit. */
export async function benchRecordPrograms(): Promise<void> {
  const site = await serveLog()
  const folder = mkdtempSync(join(tmpdir(), 'record-'))
  const mirror = ['mirror', '--from', site, '--data', folder, '--once']
  for (const [name, args] of [
    ['a mirror from nothing', mirror],
    ['a mirror that goes on', mirror],
    ['an audit', ['verify', '--audit', site]],
  ] as const)
    console.log(name, { leaves: LEAVES, ...(await measure(args)) })
  rmSync(folder, { recursive: true })
}

/** @returns wall seconds, and the most memory that the process had */
async function measure([program = '', ...args]: readonly string[]) {
  const began = performance.now()
  const started = spawn(process.execPath, [
    join(import.meta.dirname, `../record/built/${program}.mjs`),
    ...args,
  ])
  let most = 0
  const looking = setInterval(() => {
    const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readStatus(started.pid)) ?? []
    most = Math.max(most, Number(kilobytes ?? 0))
  }, 200)
  const [code] = await once(started, 'close')
  clearInterval(looking)
  const seconds = Math.round((performance.now() - began) / 100) / 10
  return { code, seconds, 'most memory in MB': Math.round(most / 1024) }
}

function readStatus(pid: number | undefined): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return ''
  }
}

/** Serves a log of openings over HTTP, from memory. @returns its site */
async function serveLog(): Promise<string> {
  const { publicKey, sign } = ed25519Of(sha256(utf8('log')))
  const key = verifierKey(sha256, { name: ORIGIN, type: 4, publicKey })
  const { bundles, levels } = makeLog()
  const hashOf = (level: number, index: number) =>
    new Uint8Array(levels[level]?.subarray(HASH_BYTES * index, HASH_BYTES * (index + 1)) ?? [])
  const root = joinSubtrees(
    sha256,
    subtreesOf([0, LEAVES]).map(({ level, index }) => hashOf(level, index)),
  )
  const text = writeCheckpoint({ origin: ORIGIN, size: LEAVES, root })
  const at = Math.ceil(Date.now() / 1000)
  const { name, keyId } = key
  const signature = writeSignature(4, sign(signedBytes(4, text, at)), at)
  const note = writeNote({ text, signatures: [{ name, keyId, signature }] })
  const keys = { origin: ORIGIN, log: [writeVerifierKey(key)], witnesses: [], quorum: 0 }
  const server = createServer((request, response) => {
    const path = (request.url ?? '').slice('/record/'.length)
    const tile = readTilePath(path)
    if (path === 'checkpoint') response.end(note)
    else if (path === 'keys') response.end(JSON.stringify(keys))
    else if (!tile) response.writeHead(404).end('{}')
    else if (tile.level === 'entries') response.end(bundles[tile.index])
    else {
      const from = TILE_WIDTH * tile.index
      response.end(levels[8 * tile.level]?.subarray(HASH_BYTES * from, HASH_BYTES * (from + tile.width)))
    }
  })
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function makeLog(): { bundles: Uint8Array[]; levels: Buffer[] } {
  const traders = Array.from({ length: TRADERS }, (_, nth) => ({
    record: sha256(utf8(`trader ${nth}`)).slice(0, 16),
    seq: 0,
    previous: NO_HASH,
  }))
  const now = Date.now()
  const hashes = Buffer.alloc(HASH_BYTES * LEAVES)
  const bundles: Uint8Array[] = []
  let entries: Uint8Array[] = []
  for (let index = 0; index < LEAVES; index++) {
    const trader = traders[(index * 7919) % TRADERS]
    if (!trader) continue
    trader.seq++
    const entry = writeLeaf({
      ...{ kind: 'opened', hold: 5, flags: 0, seqOfOpening: 0, open: trader.seq, commitment: NO_HASH },
      ...{ ...trader, at: now - LEAVES + index },
    })
    trader.previous = new Uint8Array(leafHash(sha256, entry))
    hashes.set(trader.previous, HASH_BYTES * index)
    entries.push(entry)
    if (entries.length < TILE_WIDTH && index < LEAVES - 1) continue
    bundles.push(writeBundle(entries))
    entries = []
  }
  const levels = [hashes]
  for (let below = hashes; below.length > HASH_BYTES; below = levels.at(-1) ?? hashes) {
    const above = Buffer.alloc(HASH_BYTES * Math.floor(below.length / HASH_BYTES / 2))
    for (let at = 0; at < above.length; at += HASH_BYTES)
      above.set(
        nodeHash(
          sha256,
          below.subarray(2 * at, 2 * at + HASH_BYTES),
          below.subarray(2 * at + HASH_BYTES, 2 * at + 2 * HASH_BYTES),
        ),
        at,
      )
    levels.push(above)
  }
  return { bundles, levels }
}
