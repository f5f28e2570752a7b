import { describe, expect, test } from 'vitest'
import { sameBytes, toBase64Url, utf8 } from './bytes.ts'
import { writeCheckpoint } from './checkpoint.ts'
import { writeEntryText } from './entry-text.ts'
import { commitTo, type Leaf, NO_HASH, readLeaf, writeLeaf } from './leaf.ts'
import { signedBytes, type VerifierKey, verifierKey, writeSignature } from './note.ts'
import { checkReceipt, type Policy, type Receipt, readReceipt, writeProof, writeReceipt } from './receipt.ts'
import { keyOf, sha256, verifyEd25519 } from './test-hash.ts'
import { entriesTo, treeOf } from './test-tree.ts'

const origin = 'tradepost.example/record'
const timedKey = (name: string, seed: string) =>
  verifierKey(sha256, { name, type: 4, publicKey: keyOf(seed).publicKey })
const log = timedKey(origin, 'log')
const witness = timedKey('witness.example/w1', 'w1')
const policy: Policy = { origin, logKeys: [log], witnesses: [witness], quorum: 0 }

const salt = sha256(utf8('a salt'))
const text = writeEntryText({
  kind: 'opened',
  symbol: 'NVDA',
  price: '187.52',
  quotedAt: '2026-11-26T15:02:03.120Z',
  hold: '3-6 months',
  notesHash: 'rzIfl7H2SdQVmvNDOTSu4AqOUjSZM5JxAVOzoXsULVI=',
})
const opening: Leaf = {
  kind: 'opened',
  hold: 4,
  flags: 0,
  record: sha256(utf8('maria')).slice(0, 16),
  seq: 1,
  seqOfOpening: 0,
  open: 1,
  at: 1_795_705_323_120,
  previous: NO_HASH,
  commitment: commitTo(sha256, salt, text),
}

const SIGNED_AT = 1_795_705_324
const sign = (key: VerifierKey, seed: string, checkpoint: string, at = SIGNED_AT) => ({
  keyId: key.keyId,
  signature: writeSignature(4, keyOf(seed).sign(signedBytes(4, checkpoint, at)), at),
})

/** The receipt of a leaf that stands in a tree of 100 entries as the 43rd. */
function receiptOf(leaf: Leaf = opening, signers: [VerifierKey, string][] = [[log, 'log']]): Receipt {
  const entry = writeLeaf(leaf)
  const tree = treeOf(sha256, entriesTo(100).with(42, entry))
  const checkpoint = writeCheckpoint({ origin, size: 100, root: tree.root(100) })
  return {
    leaf: entry,
    salt,
    text,
    index: 42,
    size: 100,
    path: tree.inclusion(42, 100),
    signatures: signers.map(([key, seed]) => sign(key, seed, checkpoint)),
  }
}

const check = (bytes: Uint8Array, changed: Partial<Policy> = {}) =>
  checkReceipt(bytes, { ...policy, ...changed }, { sha256, verify: verifyEd25519 })

describe('a leaf', () => {
  test('has 108 bytes, each field at its place', () => {
    const bytes = writeLeaf({
      ...opening,
      kind: 'closed',
      hold: 0,
      flags: 2,
      seq: 7,
      seqOfOpening: 3,
      open: 258,
      previous: sha256(utf8('before')),
    })
    const hex = (from: number, to: number) => Buffer.from(bytes.slice(from, to)).toString('hex')
    expect(bytes).toHaveLength(108)
    expect(hex(0, 4)).toBe('01020002')
    expect(hex(4, 20)).toBe(Buffer.from(opening.record).toString('hex'))
    expect(hex(20, 32)).toBe('000000070000000300000102')
    expect(hex(32, 40)).toBe('000001a21860be70')
    expect(hex(40, 72)).toBe(Buffer.from(sha256(utf8('before'))).toString('hex'))
    expect(hex(72, 104)).toBe(Buffer.from(opening.commitment).toString('hex'))
    expect(hex(104, 108)).toBe('00000000')
  })

  test('comes back as it was written', () => {
    const marks: Leaf = {
      ...opening,
      kind: 'marks',
      hold: 0,
      record: new Uint8Array(16),
      seq: 0,
      open: 0,
    }
    for (const leaf of [opening, marks]) expect(readLeaf(writeLeaf(leaf))).toEqual(leaf)
  })

  const previous = sha256(utf8('before'))
  test.each<[string, Partial<Leaf>]>([
    ['that opens for no declared time', { hold: 0 }],
    ['that opens for a sixth length', { hold: 6 }],
    ['that closes and declares a time', { kind: 'closed', seq: 2, seqOfOpening: 1, previous }],
    ['that closes nothing', { kind: 'closed', hold: 0, seq: 2, previous }],
    ['that closes itself', { kind: 'closed', hold: 0, seq: 2, seqOfOpening: 2, previous }],
    ['that is the first and has one before it', { previous }],
    ['that is the second and has none before it', { seq: 2 }],
    ['of nobody', { record: new Uint8Array(16) }],
    ['without a number', { seq: 0 }],
    ['that opens and names an opening', { seq: 2, seqOfOpening: 1, previous }],
    ['of a key that belongs to somebody', { kind: 'key', hold: 0, open: 0, seq: 0 }],
    ['with an unknown flag', { flags: 8 }],
  ])('%s is refused', (_how, changed) => {
    expect(() => writeLeaf({ ...opening, ...changed })).toThrow('These facts make no leaf')
  })

  test.each([
    [0, 2],
    [1, 0],
    [1, 7],
    [104, 1],
    [107, 1],
  ])('whose byte %d is %d is refused', (at, value) => {
    expect(readLeaf(writeLeaf(opening).with(at, value))).toBeNull()
  })
})

test('a receipt says in whose record which text stands, where, and when the log signed it', async () => {
  const receipt = receiptOf()
  const bytes = writeReceipt(receipt)
  expect(readReceipt(bytes)).toEqual(receipt)
  expect(await check(bytes)).toEqual({
    leaf: opening,
    text,
    index: 42,
    size: 100,
    root: treeOf(sha256, entriesTo(100).with(42, receipt.leaf)).root(100),
    signedAt: SIGNED_AT,
    witnesses: [],
  })
  expect(toBase64Url(bytes).length).toBeLessThan(900)
})

test('every change of one bit is refused', async () => {
  const bytes = writeReceipt(receiptOf())
  const refused = new Map<string, number>()
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const answer = await check(bytes.with(bit >> 3, (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7))))
    const outcome = 'refused' in answer ? answer.refused : 'accepted'
    refused.set(outcome, (refused.get(outcome) ?? 0) + 1)
  }
  expect([...refused.keys()].sort()).toEqual(['not_in_tree', 'not_signed', 'other_text', 'unreadable'])
  expect([...refused.values()].reduce((sum, count) => sum + count, 0)).toBe(bytes.length * 8)
})

test('every receipt that is cut short or goes on is refused', async () => {
  const bytes = writeReceipt(receiptOf())
  for (let length = 0; length < bytes.length; length++)
    expect(await check(bytes.slice(0, length))).toHaveProperty('refused')
  expect(await check(new Uint8Array([...bytes, 0]))).toEqual({ refused: 'unreadable' })
})

test('witnesses are named, and a receipt with fewer than are asked for is refused', async () => {
  const bytes = writeReceipt(
    receiptOf(opening, [
      [log, 'log'],
      [witness, 'w1'],
      [witness, 'w1'],
    ]),
  )
  expect(await check(bytes)).toMatchObject({ witnesses: ['witness.example/w1'] })
  expect(await check(bytes, { quorum: 1 })).toMatchObject({ witnesses: ['witness.example/w1'] })
  expect(await check(bytes, { quorum: 2 })).toEqual({ refused: 'too_few_witnesses' })
  expect(await check(bytes, { witnesses: [] })).toMatchObject({ witnesses: [] })
})

test('a receipt that a witness alone signed, or another log, is refused', async () => {
  const ofWitness = writeReceipt(receiptOf(opening, [[witness, 'w1']]))
  expect(await check(ofWitness)).toEqual({ refused: 'not_signed' })
  const right = writeReceipt(receiptOf())
  expect(await check(right, { origin: 'other.example/record' })).toEqual({ refused: 'not_signed' })
  expect(await check(right, { logKeys: [timedKey(origin, 'another log')] })).toEqual({
    refused: 'not_signed',
  })
})

test('a wrong signature of a witness refuses a receipt that the log signed', async () => {
  const receipt = receiptOf(opening, [
    [log, 'log'],
    [witness, 'somebody else'],
  ])
  expect(await check(writeReceipt(receipt))).toEqual({ refused: 'not_signed' })
})

test('without the salt no ticker and price of a day opens a leaf', () => {
  const found: string[] = []
  for (const symbol of ['NVDA', 'AAPL', 'MSFT'])
    for (let cents = 18_000; cents < 19_500; cents++) {
      const guess = text.replace('NVDA', symbol).replace('187.52', String(cents / 100))
      for (const tried of [new Uint8Array(32), sha256(utf8('another salt'))])
        if (sameBytes(commitTo(sha256, tried, guess), opening.commitment)) found.push(guess)
    }
  expect(found).toEqual([])
  expect(sameBytes(commitTo(sha256, salt, text), opening.commitment)).toBe(true)
})

test('a receipt is written as a proof that tools of others read', () => {
  const receipt = receiptOf()
  const root = treeOf(sha256, entriesTo(100).with(42, receipt.leaf)).root(100)
  const signatures = receipt.signatures.map((line) => ({ ...line, name: origin }))
  const lines = writeProof(receipt, { origin, root, signatures }).split('\n')
  expect(lines[0]).toBe('c2sp.org/tlog-proof@v1')
  expect(lines[1]).toMatch(/^extra AQEEA/)
  expect(lines[2]).toBe('index 42')
  expect(lines.slice(3, 10).every((line) => line.length === 44)).toBe(true)
  expect(lines.slice(10, 13)).toEqual(['', origin, '100'])
  expect(lines[15]).toMatch(/^— tradepost\.example\/record /)
})
