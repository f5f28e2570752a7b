import { LEAF_KINDS, type Leaf } from './leaf.ts'

/** As much of the leaves of a log as later checks need, in rows of bytes: a million objects would take five times as much memory. */

/** A leaf, read from its row. */
export type KeptLeaf = Pick<Leaf, 'kind' | 'hold' | 'seq' | 'seqOfOpening' | 'at' | 'commitment'> & {
  index: number
}

/** A position, by the row of its opening; `seq` numbers are those of the leaves that did it. */
export type Position = Pick<KeptLeaf, 'index' | 'seq' | 'at' | 'hold'> & {
  closedSeq: number | null
  /** From this leaf on it counts nowhere. */
  struckSeq: number | null
}

export type KeptLeaves = {
  /** @param index the next one, or one behind it */
  put(index: number, leaf: Leaf): void
  get(index: number): KeptLeaf
  /** The position of an opening; what is set in it stays. */
  position(index: number): Position
}

const ROW_BYTES = 64
const ROWS_AT_ONCE = 256
/** The places in a row. */
const AT = { kind: 0, hold: 1, seq: 4, seqOfOpening: 8, closed: 12, struck: 16, at: 24, commitment: 32 }

export function keptLeaves(): KeptLeaves {
  const chunks: ArrayBuffer[] = []

  function rowOf(index: number): DataView {
    const chunk = Math.floor(index / ROWS_AT_ONCE)
    while (chunks.length <= chunk) chunks.push(new ArrayBuffer(ROW_BYTES * ROWS_AT_ONCE))
    return new DataView(chunks[chunk] as ArrayBuffer, ROW_BYTES * (index % ROWS_AT_ONCE), ROW_BYTES)
  }

  function get(index: number): KeptLeaf {
    const row = rowOf(index)
    return {
      index,
      kind: LEAF_KINDS[row.getUint8(AT.kind)] ?? 'opened',
      hold: row.getUint8(AT.hold),
      seq: row.getUint32(AT.seq),
      seqOfOpening: row.getUint32(AT.seqOfOpening),
      at: row.getFloat64(AT.at),
      commitment: new Uint8Array(row.buffer, row.byteOffset + AT.commitment, ROW_BYTES - AT.commitment),
    }
  }

  return {
    put(index, leaf) {
      const row = rowOf(index)
      row.setUint8(AT.kind, LEAF_KINDS.indexOf(leaf.kind))
      row.setUint8(AT.hold, leaf.hold)
      row.setUint32(AT.seq, leaf.seq)
      row.setUint32(AT.seqOfOpening, leaf.seqOfOpening)
      row.setFloat64(AT.at, leaf.at)
      new Uint8Array(row.buffer, row.byteOffset + AT.commitment).set(leaf.commitment)
    },
    get,
    position(index) {
      const row = rowOf(index)
      const { seq, at, hold } = get(index)
      return {
        ...{ index, seq, at, hold },
        get closedSeq() {
          return row.getUint32(AT.closed) || null
        },
        set closedSeq(by) {
          row.setUint32(AT.closed, by ?? 0)
        },
        get struckSeq() {
          return row.getUint32(AT.struck) || null
        },
        set struckSeq(by) {
          row.setUint32(AT.struck, by ?? 0)
        },
      }
    },
  }
}
