import { expect, test } from 'vitest'
import { mailedWords, mailingWords } from './mailing-words.ts'

test('a follower reads about when their mail was taken', () => {
  const words = [0, 1, 3, 119, 120, 7199, 7200].map(mailedWords)
  expect(words).toEqual([
    'Mailed to you within about a second of publishing',
    ...['1 s', '3 s', '119 s', '2 min', '120 min', '2 h'].map(
      (span) => `Mailed to you about ${span} after publishing`,
    ),
  ])
})

test('a trader reads how many mails went, and how fast once all have gone', () => {
  const done = { done: true, sent: 412, halfSeconds: 2, mostSeconds: 3.1 }
  const waiting = { done: false, halfSeconds: null, mostSeconds: null }
  expect(mailingWords(done)).toBe('412 mails, half within 2.0 s, 95 % within 3.1 s')
  expect(mailingWords({ ...done, sent: 12_000, mostSeconds: 130 })).toBe(
    '12,000 mails, half within 2.0 s, 95 % within 2 min',
  )
  expect(mailingWords({ ...done, sent: 1 })).toBe('1 mail, within 3.1 s')
  expect(mailingWords({ ...waiting, sent: 0 })).toBe('Mails are on their way')
  expect(mailingWords({ ...waiting, sent: 118 })).toBe('118 mails so far, more are on their way')
  expect(mailingWords({ ...waiting, done: true, sent: 0 })).toBe('Nobody to mail')
})
