import { utf8 } from '@tradepost/record/bytes'
import { HISTORY_KEYS, historyOf } from '@tradepost/record/test-history'
import { expect, test } from 'vitest'
import { policyOf } from '../lib/record/known-keys.ts'
import { judge } from './judge.ts'
import { sayEntry, sayFacts, sayVerdict } from './words.ts'

const policy = policyOf(HISTORY_KEYS)
const receipt = historyOf().receipt(100)
const flipped = (at: number) => receipt.with(at, (receipt[at] ?? 0) ^ 1)
const said = async (bytes: Uint8Array | null, known: typeof policy | null = policy) =>
  sayVerdict(await judge(bytes, known))

test('a true receipt is said in a sentence, with what it records and where', async () => {
  const judged = await judge(receipt, policy)
  expect(sayVerdict(judged)).toEqual({
    colour: 'good',
    sentence:
      'This mail is part of Tradepost’s public record since Nov 26, 2026, 15:02 UTC. 3 positions of this trader were open then.',
  })
  if (!('checked' in judged)) throw new Error('It was refused')
  expect(sayEntry(judged.checked.text)).toBe(
    'Opened NVDA at 187.52 USD, a price of Nov 26, 2026, 15:02 UTC, planned for 3-6 months.',
  )
  expect(sayFacts(judged.checked).map(({ name, value }) => [name, value])).toEqual(
    expect.arrayContaining([
      ['Place', 'Leaf 42 of 100'],
      ['Signed by the log', 'Nov 26, 2026, 15:02 UTC'],
      ['Witnesses', 'witness.example/w1'],
    ]),
  )
})

test('an entry whose quote nobody knows any more says nothing of it, and a plan is said in words', () => {
  expect(sayEntry('["opened","NVDA","187.52","USD","","one_to_three_weeks","x"]')).toBe(
    'Opened NVDA at 187.52 USD, planned for one to three weeks.',
  )
  expect(sayEntry('["closed","NVDA","","USD","","","x"]')).toBe('Closed NVDA.')
  expect(sayEntry(`["closed","NVDA","1","USD","last week","","x"]`)).toBe(
    'Closed NVDA at 1 USD, a price of last week.',
  )
})

test('what was imported is neither proven nor refused', async () => {
  const { colour, sentence } = await said(historyOf({ flags: 4 }).receipt(100))
  expect(colour).toBe('open')
  expect(sentence).toContain('proven since Nov 26, 2026, 15:02 UTC, and nothing about the time before')
})

test('changed receipts are refused, each with its reason', async () => {
  const textAt = receipt.length - 300
  expect(await said(null)).toMatchObject({ colour: 'bad', sentence: /no complete receipt/ } as object)
  expect((await said(receipt.slice(0, 500))).sentence).toContain('cut on its way')
  expect((await said(flipped(150))).sentence).toContain('its text is not the one that was recorded')
  expect((await said(flipped(40))).sentence).toContain('never signed as it is')
  expect((await said(flipped(textAt))).colour).toBe('bad')
})

test('without a key that this page knows nothing is said about a receipt', async () => {
  expect((await said(receipt, null)).sentence).toContain('has no public record yet')
  const others = policyOf({ ...HISTORY_KEYS, log: [], witnesses: [] })
  expect(await said(receipt, others)).toEqual({
    colour: 'open',
    sentence: 'Nobody whom this page knows has signed this. It proves nothing.',
  })
  expect((await said(receipt, policyOf({ ...HISTORY_KEYS, quorum: 2 }))).sentence).toContain(
    'fewer witnesses',
  )
  expect((await said(utf8('x'))).colour).toBe('bad')
})

test('a browser without Ed25519 gives no verdict', async () => {
  const { importKey } = SubtleCrypto.prototype
  SubtleCrypto.prototype.importKey = () => Promise.reject(new DOMException('unknown', 'NotSupportedError'))
  try {
    expect(await said(receipt)).toMatchObject({ colour: 'open' })
    expect((await said(receipt)).sentence).toContain('cannot check signatures of this kind')
  } finally {
    SubtleCrypto.prototype.importKey = importKey
  }
})
