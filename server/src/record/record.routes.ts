import {
  CHECKPOINT_PATH,
  CONSISTENCY_PATH,
  GAPS_PATH,
  KEYS_PATH,
  OPENINGS_PATH,
  PROOF_PATH,
  TILES_PATH,
  TRADERS_PATH,
} from '@tradepost/contract/record-keys'
import { readUsername } from '@tradepost/contract/typed-name'
import { isUsername } from '@tradepost/contract/username'
import { concat, toBase64 } from '@tradepost/record/bytes'
import { readTilePath, TILE_WIDTH, type Tile, widthAt, writeBundle } from '@tradepost/record/tiles'
import { consistencyRanges, inclusionRanges } from '@tradepost/record/tree'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Clock } from '../platform/clock.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import { refusal } from '../platform/http/refusal.ts'
import type { Settings } from '../platform/settings.ts'
import { splitHashes } from './grow-tree.ts'
import { findGaps, findHead, findLeaves, findSignedAt, findTiles, type HeadRow } from './log.queries.ts'
import { countPositions, findIndexesOf, findRecordOf } from './openings.queries.ts'
import { readOpening } from './openings.ts'
import { readHashes } from './read-hashes.ts'
import { readKeys } from './record-state.ts'

type Deps = { db: Queryable; clock: Clock; settings: Pick<Settings, 'record'> }

/** Nothing of it changes any more. */
const FOREVER = 'public, max-age=31536000, immutable'
/** Newer after each event. */
const SECONDS = 'public, max-age=2'
/** An erased person's words, and entries that a restored backup has lost, are gone from caches a minute later. */
const A_MINUTE = 'public, max-age=60'

/** A restored backup may lose what was signed since; none is older (ADR 0120). */
const LOSABLE_MS = 30 * 86_400_000

const WHOLE = /^(0|[1-9]\d{0,14})$/

/** The record for everybody, without a sign-in: the log's own formats, and JSON beside them (ADR 0120). */
export function recordRoutes(app: FastifyInstance, { clock, db, settings }: Deps): void {
  /** Of what the first entries say: after `record resume` the last of them may be others at the same address. */
  const cachingOf = async (size: number) => {
    const signedAt = await findSignedAt(db, size)
    const age = signedAt ? clock.now().getTime() - signedAt.getTime() : 0
    return age >= LOSABLE_MS || size === 0 ? FOREVER : A_MINUTE
  }
  app.get(CHECKPOINT_PATH, async (_request, reply) => {
    const { note } = await headOf(db)
    return cached(reply, SECONDS).type('text/plain; charset=utf-8').send(note)
  })
  app.get<{ Params: { '*': string } }>(`${TILES_PATH}/*`, async ({ params }, reply) => {
    const tile = readTilePath(`tile/${params['*']}`)
    const bytes = tile && (await readTileBytes(db, tile))
    if (!bytes) throw refusal('not_found')
    return cached(reply, await cachingOf(endOf(tile)))
      .type('application/octet-stream')
      .send(Buffer.from(bytes))
  })
  app.get(KEYS_PATH, async (_request, reply) => {
    const keys = await readKeys(db, settings)
    if (!keys) throw refusal('not_found')
    return cached(reply, A_MINUTE).send(keys)
  })
  app.get<{ Querystring: Record<string, unknown> }>(PROOF_PATH, async ({ query }, reply) => {
    const [index, size] = [numberOf(query.index), numberOf(query.size)]
    const head = await headOf(db)
    if (size > head.size || index >= size) throw refusal('not_found')
    const path = await readHashes(db, inclusionRanges(index, size))
    return cached(reply, await cachingOf(size)).send({ index, size, path: path.map(toBase64) })
  })
  app.get<{ Querystring: Record<string, unknown> }>(CONSISTENCY_PATH, async ({ query }, reply) => {
    const [from, to] = [numberOf(query.from), numberOf(query.to)]
    const head = await headOf(db)
    if (to > head.size || from > to) throw refusal('not_found')
    const proof = await readHashes(db, consistencyRanges(from, to))
    return cached(reply, await cachingOf(to)).send({ from, to, proof: proof.map(toBase64) })
  })
  app.get<{ Params: { index: string } }>(`${OPENINGS_PATH}/:index`, async ({ params }, reply) => {
    const opening = await readOpening(db, numberOf(params.index), clock.now())
    if (opening === null) throw refusal('not_found')
    if (opening === 'sealed') throw refusal('record_sealed')
    if (opening === 'erased') throw refusal('record_erased')
    return cached(reply, A_MINUTE).send(opening)
  })
  app.get<{ Params: { username: string } }>(`${TRADERS_PATH}/:username`, async ({ params }, reply) => {
    const username = readUsername(params.username)
    const found = isUsername(username) ? await findRecordOf(db, username) : null
    if (!found) throw refusal('not_found')
    const { record, seq, traderId } = found
    const counts = await countPositions(db, traderId)
    const leaves = await findIndexesOf(db, traderId)
    return cached(reply, SECONDS).send({ record: record.toString('hex'), seq, ...counts, leaves })
  })
  app.get(GAPS_PATH, async (_request, reply) => {
    return cached(reply, A_MINUTE).send({ gaps: await findGaps(db) })
  })
}

/** @throws `not_found` before the first entry */
async function headOf(db: Queryable): Promise<HeadRow & { note: string }> {
  const head = await findHead(db)
  if (!head || head.note === null) throw refusal('not_found')
  return { ...head, note: head.note }
}

/** @returns null for a tile, or a width of it, that the log does not have */
async function readTileBytes(db: Queryable, { index, level, width }: Tile): Promise<Uint8Array | null> {
  const { size } = await headOf(db)
  if (width > widthAt({ level, index }, size)) return null
  if (level === 'entries') {
    const leaves = await findLeaves(db, index * TILE_WIDTH, index * TILE_WIDTH + width)
    return writeBundle(leaves.map((leaf) => new Uint8Array(leaf)))
  }
  const [hashes] = await findTiles(db, [{ level, index }])
  return concat(...splitHashes(hashes ?? Buffer.alloc(0)).slice(0, width))
}

/** @returns how many entries a tile needs */
function endOf({ index, level, width }: Tile): number {
  return (index * TILE_WIDTH + width) * TILE_WIDTH ** (level === 'entries' ? 0 : level)
}

function cached(reply: FastifyReply, caching: string): FastifyReply {
  return reply.header('cache-control', caching)
}

/** @throws `bad_request` for anything but a whole number */
function numberOf(given: unknown): number {
  if (typeof given !== 'string' || !WHOLE.test(given)) throw refusal('bad_request')
  return Number(given)
}
