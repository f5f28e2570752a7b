import { describe, expect, test } from 'vitest'
import { auditLog } from './audit.ts'
import { auditHeld, judgeHeld } from './held.ts'
import { type Leaf, NO_HASH, readLeaf, writeLeaf } from './leaf.ts'
import { type Act, actsWriter } from './test-acts.ts'
import { crypto, POLICY, worldOf, worldOfEntries } from './test-world.ts'

/** Alice opens thirteen positions, six of them before the log began, closes three and has one changed. */
function acts(): Act[] {
  const writer = actsWriter()
  for (let nth = 0; nth < 13; nth++) writer.open('alice', nth)
  for (let nth = 0; nth < 3; nth++) writer.close('alice', nth)
  return [
    ...writer.acts,
    { ...(writer.acts[12] as Act), kind: 'adjusted', hold: 0, seqOfOpening: 9, text: SPLIT },
  ]
}
const SPLIT = '["adjusted","AAPL","split","10:1","2026-06-10"]'
const honest = worldOf(acts())
const checks = async (world: Pick<typeof honest, 'source'>, usernames = ['alice']) => [
  ...new Set((await auditLog(world.source, POLICY, crypto, usernames)).findings.map(({ check }) => check)),
]

/** The log, signed by its key, in which one leaf is another. */
function withLeaf(index: number, change: Partial<Leaf>) {
  const leaf = readLeaf(honest.entries[index] ?? NO_HASH)
  if (!leaf) throw new Error(`No leaf ${index}`)
  return worldOfEntries(honest.entries.with(index, writeLeaf({ ...leaf, ...change })), honest)
}

test('the honest log is clean', async () => {
  const { findings, head } = await auditLog(honest.source, POLICY, crypto, ['alice'])
  expect(findings).toEqual([])
  expect(head?.size).toBe(17)
})

describe('a log that its key signed, and', () => {
  test.each<[string, string, ReturnType<typeof withLeaf>]>([
    ['whose leaf skips a number', 'A7', withLeaf(16, { seq: 18 })],
    ['whose leaf names another one before it', 'A8', withLeaf(16, { previous: new Uint8Array(32).fill(1) })],
    ['whose close closes what is closed', 'A9', withLeaf(15, { seqOfOpening: 1 })],
    ['whose change changes a close', 'A9', withLeaf(16, { seqOfOpening: 14 })],
    ['whose count leaves one out', 'A10', withLeaf(12, { open: 12 })],
    ['whose split takes a position out of the count', 'A10', withLeaf(16, { open: 9 })],
    ['whose leaf is of an earlier hour', 'A11', withLeaf(16, { at: 0 })],
    ['whose late leaf says that it was before the log', 'A11', withLeaf(16, { flags: 4 })],
    ['whose leaf is later than its signature', 'A12', withLeaf(16, { at: honest.signedAt + 62_000 })],
    ['whose text is of another kind', 'A13', withLeaf(15, { kind: 'adjusted' })],
  ])('%s is found', async (_how, check, world) => {
    expect(await checks(world)).toContain(check)
  })

  test('with an entry that is no leaf is found', async () => {
    const world = worldOfEntries(honest.entries.with(16, new Uint8Array(108)), honest)
    expect(await checks(world)).toEqual(['A7'])
  })
})

test('a leaf may be a minute older than one before it, and no more', async () => {
  const before = readLeaf(honest.entries[15] ?? NO_HASH)?.at ?? 0
  expect(await checks(withLeaf(16, { at: before - 60_000 }))).not.toContain('A11')
  expect(await checks(withLeaf(16, { at: before - 60_001 }))).toContain('A11')
})

test('a position past its declared hold is public, and found where it is sealed', async () => {
  const short = honest.acts.findIndex(({ hold, kind }) => kind === 'opened' && hold === 2)
  const opened = honest.acts[short]?.at ?? 0
  const day = 86_400_000
  const opening = (at: number) => worldOf(honest.acts, at).openings[short]
  const sealed = (signedAt: number) => {
    const world = worldOf(honest.acts, signedAt)
    const source = { ...world.source, opening: async () => 'sealed' as const }
    return auditLog(source, POLICY, crypto).then(({ findings }) =>
      findings.filter(({ check, index }) => check === 'A14' && index === short),
    )
  }
  expect(opening(opened + 22 * day - 1000)).toBe('sealed')
  expect(await sealed(opened + 22 * day - 1000)).toEqual([])
  expect(opening(opened + 22 * day + 1000)).toMatchObject({ text: honest.acts[short]?.text })
  expect(await sealed(opened + 22 * day + 1000)).toHaveLength(1)
})

test('a checkpoint of another key, of another log, and one that is none are not signed', async () => {
  const other = worldOf(honest.acts)
  const changed = (checkpoint: string) => ({
    source: { ...other.source, checkpoint: async () => checkpoint },
  })
  expect(await checks(changed(other.note().replace('\n17\n', '\n18\n')))).toEqual(['A1'])
  expect(await checks(changed(other.note().replaceAll('tradepost.example', 'other.example')))).toEqual(['A1'])
  expect(await checks(changed('nothing'))).toEqual(['A1'])
})

test('a page may lag behind its log for ten minutes', async () => {
  const page = honest.traders.get('alice')
  if (!page) throw new Error('alice is there')
  const behind = { ...page, seq: 16, leaves: page.leaves.slice(0, 16) }
  const at = async (signedAt: number) => {
    const world = worldOf(honest.acts, signedAt)
    return checks({ source: { ...world.source, trader: async () => behind } })
  }
  const last = honest.acts.at(-1)?.at ?? 0
  expect(await at(last + 590_000)).toEqual([])
  expect(await at(last + 601_000)).toEqual(['A15'])
})

test('a person who is erased while a log is audited is no finding, and one who vanishes is', async () => {
  const erased: Act = { ...(acts().at(-1) as Act), kind: 'erased', seqOfOpening: 0, text: '["erased"]' }
  const later = worldOf([...acts(), erased])
  const found = async (notes: string[]) => {
    const source = { ...later.source, checkpoint: async () => notes.shift() ?? '' }
    const { findings, missing } = await auditLog(source, POLICY, crypto, ['alice'])
    expect(missing).toEqual(['alice'])
    return [...new Set(findings.map(({ check }) => check))]
  }
  expect(await found([later.note(17), later.note()])).toEqual([])
  expect(await found([later.note(17), later.note(17)])).toEqual(['A14'])
  expect(await found([later.note(17), honest.note()])).toEqual(['A14'])
})

test('two receipts with one size and two roots convict their log without a network, and a false one is named', async () => {
  const forked = worldOf(
    honest.acts.with(-1, { ...(honest.acts.at(-1) as Act), text: SPLIT.replace('10', '2') }),
  )
  const receipts = [honest.receipt(3, 17), forked.receipt(3, 17)].map((bytes) => ({ bytes }))
  expect(await judgeHeld({ receipts, checkpoints: [] }, POLICY, crypto)).toEqual([
    {
      check: 'A4',
      words:
        'The log signed two histories of 17 leaves (the receipt of leaf 3, the receipt of leaf 3): two roots of one size.',
    },
  ])
  const [right] = receipts
  const bytes = honest.receipt(3, 17).with(-1, 0)
  const held = { receipts: [right ?? { bytes }, { bytes: bytes.with(-2, 0) }], checkpoints: [] }
  expect((await auditHeld(held, honest.source, POLICY, crypto)).map(({ check }) => check)).toEqual(['A17'])
})
