import { fromBase64 } from '../src/bytes.ts'
import { readVerifierKey } from '../src/note.ts'
import type { Policy } from '../src/receipt.ts'
import type { RecordSource, ShownTrader } from '../src/record-source.ts'
import { readBundle, TILE_WIDTH, tilePath, writeBundle } from '../src/tiles.ts'
import { sha256 } from './node-crypto.ts'

/** The public answers of a record over HTTP. */

const TIMEOUT_MS = 30_000
const MAX_ANSWER_BYTES = 64 * 1024 * 1024

/** The site did not answer as a record does. */
export class NoAnswer extends Error {}

/** @returns the answer's bytes, or its status where that is 404 or 410 @throws NoAnswer for any other one */
async function get(address: string): Promise<Uint8Array | 404 | 410> {
  let answer: Response
  try {
    answer = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS), cache: 'no-store' })
    if (answer.status === 404 || answer.status === 410) {
      await answer.body?.cancel()
      return answer.status
    }
    if (Number(answer.headers.get('content-length') ?? 0) > MAX_ANSWER_BYTES) throw new Error('too long')
    const bytes = new Uint8Array(await answer.arrayBuffer())
    if (answer.ok) return bytes
  } catch (error) {
    const reason =
      error instanceof Error ? (error.cause instanceof Error ? error.cause : error).message : error
    throw new NoAnswer(`${address} does not answer (${reason}).`)
  }
  throw new NoAnswer(`${address} answered ${answer.status}.`)
}

/** @throws NoAnswer also for 404 and 410 */
export async function getWhole(address: string): Promise<Uint8Array> {
  const answer = await get(address)
  if (typeof answer === 'number') throw new NoAnswer(`${address} answered ${answer}.`)
  return answer
}

async function getJson(address: string): Promise<Record<string, unknown> | 404 | 410> {
  const answer = await get(address)
  if (typeof answer === 'number') return answer
  try {
    return JSON.parse(Buffer.from(answer).toString('utf8')) as Record<string, unknown>
  } catch {
    throw new NoAnswer(`${address} did not answer JSON.`)
  }
}

/** @param site such as `https://host` */
export function httpSource(site: string): RecordSource & { hashes(path: string): Promise<Uint8Array> } {
  const at = (path: string) => `${site}/record/${path}`
  async function proof(path: string, field: string): Promise<Uint8Array[] | null> {
    const answer = await getJson(at(path))
    return typeof answer === 'number' ? null : hashesOf(answer[field])
  }
  return {
    hashes: (path) => getWhole(at(path)),
    checkpoint: async () => Buffer.from(await getWhole(at('checkpoint'))).toString('utf8'),
    async bundle(index, width) {
      const part = await get(at(tilePath({ level: 'entries', index, width })))
      if (typeof part !== 'number') return part
      // A log that has grown may have the full bundle alone.
      const full = await getWhole(at(tilePath({ level: 'entries', index, width: TILE_WIDTH })))
      return writeBundle((readBundle(full, TILE_WIDTH) ?? []).slice(0, width))
    },
    inclusion: (index, size) => proof(`proof?index=${index}&size=${size}`, 'path'),
    consistency: (from, to) => proof(`consistency?from=${from}&to=${to}`, 'proof'),
    async opening(index) {
      const answer = await getJson(at(`openings/${index}`))
      if (typeof answer === 'number') return answer === 410 ? 'erased' : 'sealed'
      const salt = fromBase64(String(answer.salt))
      if (!salt || typeof answer.text !== 'string')
        throw new NoAnswer(`Leaf ${index} was answered strangely.`)
      return { salt, text: answer.text }
    },
    async trader(username) {
      const answer = await getJson(at(`traders/${encodeURIComponent(username)}`))
      return typeof answer === 'number' ? null : traderOf(answer)
    },
  }
}

function hashesOf(value: unknown): Uint8Array[] | null {
  if (!Array.isArray(value)) return null
  const hashes = value.map((text) => fromBase64(String(text)))
  return hashes.every((hash) => hash !== null) ? hashes : null
}

function traderOf({ record, seq, open, closed, leaves }: Record<string, unknown>): ShownTrader {
  return {
    record: String(record),
    seq: Number(seq),
    open: Number(open),
    closed: Number(closed),
    leaves: Array.isArray(leaves) ? leaves.map(Number) : [],
  }
}

/** Reads the keys of a record, as `/record/keys` has them. @throws NoAnswer for other bytes */
export function readPolicy(bytes: Uint8Array): Policy {
  try {
    const { origin, log, witnesses, quorum } = JSON.parse(Buffer.from(bytes).toString('utf8'))
    const keys = (texts: string[]) =>
      texts.map((text) => readVerifierKey(sha256, String(text))).filter((key) => key !== null)
    const logKeys = keys(log).filter(({ name }) => name === origin)
    if (logKeys.length === 0 || !Number.isSafeInteger(quorum) || quorum < 0) throw new Error('no keys')
    return { origin, logKeys, witnesses: keys(witnesses), quorum }
  } catch {
    throw new NoAnswer('These are no keys of a record.')
  }
}
