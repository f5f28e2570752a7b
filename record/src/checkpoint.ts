import { fromBase64, HASH_BYTES, toBase64 } from './bytes.ts'

/** A checkpoint (c2sp.org/tlog-checkpoint): the size of a log's tree, and its root. */
export type Checkpoint = { origin: string; size: number; root: Uint8Array }

/** The text of the note that a log signs, with its last newline. */
export function writeCheckpoint({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${toBase64(root)}\n`
}

/** @returns null for another text; lines behind the third are left to whoever writes them, as the specification asks */
export function readCheckpoint(text: string): Checkpoint | null {
  const [, origin = '', digits = '', encoded = ''] =
    /^([^\n]+)\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/=]+)\n(?:[^\n]+\n)*$/.exec(text) ?? []
  const root = fromBase64(encoded)
  const size = Number(digits)
  return root?.length === HASH_BYTES && Number.isSafeInteger(size) ? { origin, size, root } : null
}
