import type { Sha256 } from './bytes.ts'

/** The first 32 bits of the fractional parts of the square roots of the first eight primes (FIPS 180-4 section 5.3.3). */
const START = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19]

/** The same of the cube roots of the first 64 primes (section 4.2.2). */
const ROUNDS = new Uint32Array([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
  0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
  0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
  0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
  0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
  0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
  0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
  0xc67178f2,
])

const BLOCK_BYTES = 64
const LENGTH_BYTES = 8

/**
 * SHA-256 (FIPS 180-4) in plain numbers, for browsers: theirs answers later, and what the record is checked with is asked at once. Some
 * thousand bytes take less than a millisecond.
 */
export const plainSha256: Sha256 = (bytes) => {
  const padded = pad(bytes)
  const state = new Uint32Array(START)
  const words = new Uint32Array(ROUNDS.length)
  for (let at = 0; at < padded.byteLength; at += BLOCK_BYTES) mixBlock(padded, at, words, state)
  const digest = new DataView(new ArrayBuffer(state.byteLength))
  for (const [at, word] of state.entries()) digest.setUint32(4 * at, word)
  return new Uint8Array(digest.buffer)
}

/** Behind the bytes one bit, zeros to the end of a block, and there their number in bits. */
function pad(bytes: Uint8Array): DataView {
  const blocks = Math.ceil((bytes.length + 1 + LENGTH_BYTES) / BLOCK_BYTES)
  const padded = new Uint8Array(blocks * BLOCK_BYTES)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setBigUint64(padded.length - LENGTH_BYTES, BigInt(bytes.length) * 8n)
  return view
}

const turn = (word: number, by: number) => (word >>> by) | (word << (32 - by))

/** @param words room for those of a block, and for what is made of them @param state is changed */
function mixBlock(padded: DataView, from: number, words: Uint32Array, state: Uint32Array): void {
  for (let at = 0; at < words.length; at++)
    words[at] = at < 16 ? padded.getUint32(from + 4 * at) : later(words, at)
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (const [at, word] of words.entries()) {
    const ofE = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)
    const first = (h + ofE + ((e & f) ^ (~e & g)) + (ROUNDS[at] ?? 0) + word) | 0
    const ofA = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)
    const second = (ofA + ((a & b) ^ (a & c) ^ (b & c))) | 0
    ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0]
  }
  for (const [at, word] of [a, b, c, d, e, f, g, h].entries()) state[at] = (state[at] ?? 0) + word
}

function later(words: Uint32Array, at: number): number {
  const back = (by: number) => words[at - by] ?? 0
  const ofSecond = turn(back(2), 17) ^ turn(back(2), 19) ^ (back(2) >>> 10)
  const ofFifteenth = turn(back(15), 7) ^ turn(back(15), 18) ^ (back(15) >>> 3)
  return ofSecond + back(7) + ofFifteenth + back(16)
}
