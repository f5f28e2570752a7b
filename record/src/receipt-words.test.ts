import { expect, test } from 'vitest'
import { checkReceipt } from './receipt.ts'
import { inWords, wordsOfReceipt } from './receipt-words.ts'
import { actsWriter } from './test-acts.ts'
import { crypto, POLICY, worldOf } from './test-world.ts'

/** The words about the receipt of an opening whose text is this one. */
async function wordsOf(text: string): Promise<string> {
  const writer = actsWriter()
  writer.open('alice', 1)
  const world = worldOf(writer.acts.map((act) => ({ ...act, text })))
  const checked = await checkReceipt(world.receipt(0, 1), POLICY, crypto)
  if ('refused' in checked) throw new Error(checked.refused)
  return wordsOfReceipt(checked, 'tradepost.example')
}

test.each([
  [
    '["opened","NVDA","187.52","USD","2026-11-26T15:02:03.000Z","hold","x"]',
    'opened NVDA at 187.52 USD, quoted Nov 26, 2026, 15:02 UTC.',
  ],
  ['["opened","NVDA","187.52","USD","","hold","x"]', 'opened NVDA at 187.52 USD.'],
  ['["closed","NVDA","","USD","","","x"]', 'closed NVDA.'],
  ['["opened","NVDA","187.52","USD","last week","hold","x"]', 'opened NVDA at 187.52 USD, quoted last week.'],
])('%s is said, whatever is not known of its price', async (text, words) => {
  expect(await wordsOf(text)).toContain(`It says: ${words}\n`)
})

test('an instant that no calendar has is a number', () => {
  expect(inWords(Date.UTC(2026, 10, 26, 15, 2))).toBe('Nov 26, 2026, 15:02 UTC')
  expect(inWords(9e15)).toBe('9000000000000000')
})
