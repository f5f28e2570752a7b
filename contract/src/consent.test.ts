import { expect, test } from 'vitest'
import { acceptanceSentence } from './consent.ts'

test('the sentence beside the box names the terms with their address and version, and is as short as Stripe wants it', () => {
  const shown = { origin: 'https://tradepost.example', termsVersion: 'e35ca2ff919a' }
  expect(acceptanceSentence(shown)).toBe(
    'I agree to the [terms](https://tradepost.example/terms), version e35ca2ff919a. You can lose money: past gains promise nothing, and nothing here is investment advice.',
  )
  const origin = `https://${'x'.repeat(253)}:65535`
  expect(acceptanceSentence({ ...shown, origin }).length).toBeLessThan(1200)
})
