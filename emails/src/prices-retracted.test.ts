import { expect, test } from 'vitest'
import { mails } from './render.tsx'

const origin = 'https://tradepost.example'
const sample = mails.prices_retracted.samples['prices-retracted']
if (!sample) throw new Error('no sample')

test('the mail of prices that were taken back lists in HTML and in text which they were, what stands in their place, and why', () => {
  const mail = mails.prices_retracted.write({ ...sample, more: 3, origin })
  expect(mail.subject).toBe('Prices of AAPL were wrong, and we set them right')
  for (const part of [mail.html, mail.text])
    for (const words of [
      'Nov 18, 2026, 15:02:00 UTC',
      'Nov 18, 2026, 15:05:00 UTC',
      '$189.10, was $9999999.00',
      '$189.10, was $0.000100',
      '+0.84%',
      'at which nobody traded',
      'And 3 more, which Activity lists.',
      `${origin}/activity`,
    ])
      expect(part).toContain(words)
})

test('one click of a mail program stops the mails of one trader, so there is none where several are named', () => {
  const [maria, ben] = sample.stops
  if (!maria || !ben) throw new Error('no links')
  const write = (stops: (typeof sample)['stops']) =>
    mails.prices_retracted.write({ ...sample, stops, origin })
  expect(write([maria]).unsubscribeUrl).toBe(maria.unsubscribeUrl)
  expect(write([maria, ben])).not.toHaveProperty('unsubscribeUrl')
  expect(write([])).not.toHaveProperty('unsubscribeUrl')
})
