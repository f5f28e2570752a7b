import { expect, test } from 'vitest'
import { mails } from './render.tsx'

const origin = 'https://tradepost.example'
const of = { origin, trader: 'maria', currency: 'usd' } as const
const prices = {
  ...of,
  fromCents: 1000,
  toCents: 1250,
  interval: 'month',
  from: '2027-01-05T12:00:00.000Z',
} as const
/** Lines of a text are wrapped. */
const words = ({ text }: { text: string }) => text.replaceAll(/\s+/g, ' ')

test('mails about a price say that its tax is in it where one is computed, and nothing where none is', () => {
  const first = { ...of, amountCents: 1000, interval: 'month', feePercent: 10 } as const
  const trial = { ...of, amountCents: 1250, interval: 'month', endsAt: '2026-12-06T15:04:05.000Z' } as const
  const all = (taxLiable: 'platform' | 'trader' | undefined) => [
    words(mails.price_proposed.write({ ...prices, taxLiable })),
    words(mails.price_lowered.write({ ...prices, taxLiable })),
    words(mails.trial_ending.write({ ...trial, taxLiable })),
    words(mails.first_follower.write({ ...first, taxLiable })),
  ]
  const [proposed, lowered, ending, begun] = all('platform')
  expect(proposed).toContain('who now asks $12.50 a month, tax included.')
  expect(lowered).toContain('you pay $12.50 a month instead of $10 a month, tax included.')
  expect(ending).toContain('From then on you pay $12.50 a month, tax included, until you cancel.')
  expect(begun).toContain('A tax that the follower owes stands in the price, and is withheld before that.')
  expect(all('trader')[3]).toContain(
    'it comes to you with the payment, and is yours to pay to the authorities.',
  )
  for (const mail of all(undefined)) expect(mail).not.toContain('tax')
})
