import { expect, test } from 'vitest'
import { mails } from './render.tsx'

const ORIGIN = 'https://tradepost.example'
const PRICES = { trader: 'maria', currency: 'usd', origin: ORIGIN } as const

/** The words of a mail, which its HTML has too. */
function wordsOf({ html, text }: { html: string | null; text: string }): string {
  const words = text.replaceAll(/\s+/g, ' ')
  const shown = (html ?? '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&gt;', '>')
    .replaceAll(/\s+/g, ' ')
  for (const sentence of words.split('. ').slice(0, 3)) expect(shown).toContain(sentence.slice(-40))
  return words
}

test('the mail of a proposed price names both prices, the first renewal, how to agree, that nothing changes without it, and how to cancel', () => {
  const mail = mails.price_proposed.write({
    ...PRICES,
    ...{ fromCents: 1000, toCents: 1500, interval: 'month', from: '2027-01-05T12:00:00.000Z' },
  })
  expect(mail.subject).toBe('@maria asks $15 a month from you instead of $10 a month')
  const words = wordsOf(mail)
  for (const part of [
    'You pay $10 a month for following @maria, who now asks $15 a month.',
    'without your answer you go on paying $10 a month',
    'choose Agree under Account > Subscriptions',
    'The first renewal that can have it is that of Jan 5, 2027',
    'you can take your agreement back in the same place',
    'choose Cancel there: what you have paid for stays yours until its month is over',
    'https://tradepost.example/account',
  ])
    expect(words).toContain(part)
})

test('the mail of a lower price names both prices and from when, and that nothing is charged or returned now', () => {
  const lowered = { ...PRICES, fromCents: 12_050, toCents: 10_000, interval: 'year' } as const
  const mail = mails.price_lowered.write({ ...lowered, from: '2027-11-05T12:00:00.000Z' })
  expect(mail.subject).toBe('Following @maria costs you $100 a year from now on')
  const words = wordsOf(mail)
  expect(words).toContain(
    'from the renewal of Nov 5, 2027 on you pay $100 a year instead of $120.50 a year. You need do nothing.',
  )
  expect(words).toContain('Nothing is charged or returned for the time that you have paid already.')
  expect(mails.price_lowered.write({ ...lowered, from: null }).text.replaceAll(/\s+/g, ' ')).toContain(
    'from the next renewal on you pay $100 a year',
  )
})
