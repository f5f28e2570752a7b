import { expect, test } from 'vitest'
import type { Leaving } from './leaving.ts'
import { beforePressing, cancelStep, withdrawStep } from './leaving-words.ts'

const shown = {
  time: (iso: string) => `${iso.slice(0, 16).replace('T', ' ')} UTC`,
  day: (iso: string) => iso.slice(0, 10),
  returnsEmptyMonths: true,
}
const leaving: Leaving = {
  endsAt: null,
  cancelAt: '2026-12-26T09:30:00.000Z',
  inTrial: false,
  withdrawal: {
    until: '2026-12-10T12:00:00.000Z',
    ...{ paidCents: 1250, returnsCents: 963, currency: 'usd', delivered: true, daysLeft: 23 },
  },
  asOf: '2026-11-29T12:00:00.000Z',
}
const TAKE_BACK = 'Until then “Keep it” under Account > Subscriptions takes this back.'

test('a cancellation keeps what is paid, except a month in which nothing reached one, where this product returns those', () => {
  expect(cancelStep(leaving, shown)).toEqual({
    words: [
      'You keep your access until 2026-12-26 09:30 UTC. Nothing more is charged. What is paid stays paid, except a month in which nothing reached you: that comes back by itself.',
      TAKE_BACK,
    ],
    short: 'access until 2026-12-26',
    button: 'Cancel at 2026-12-26',
  })
  expect(cancelStep(leaving, { ...shown, returnsEmptyMonths: false }).words[0]).toBe(
    'You keep your access until 2026-12-26 09:30 UTC. Nothing more is charged. What is paid stays paid.',
  )
})

test('in free days nothing was charged, and the button says that it ends the trial', () => {
  expect(cancelStep({ ...leaving, inTrial: true }, shown)).toEqual({
    words: [
      'You keep your access until 2026-12-26 09:30 UTC, when your free days end. Nothing was charged, and nothing will be.',
      TAKE_BACK,
    ],
    short: 'access until 2026-12-26',
    button: 'End trial at 2026-12-26',
  })
})

test('where no time is paid it ends at once, and one that is canceled already has no button', () => {
  expect(cancelStep({ ...leaving, cancelAt: null }, shown)).toEqual({
    words: ['No time is paid, so the subscription and your access end at once. Nothing more is charged.'],
    short: 'your access ends at once',
    button: 'Cancel now',
  })
  const endsAt = '2026-12-26T09:30:00.000Z'
  expect(cancelStep({ ...leaving, endsAt }, shown)).toEqual({
    words: [
      'It is canceled already, and ends on 2026-12-26 09:30 UTC. Until then “Keep it” under Account > Subscriptions takes that back.',
    ],
    short: 'canceled already, ends on 2026-12-26',
    button: null,
  })
  expect(cancelStep({ ...leaving, endsAt, inTrial: true }, shown).words[0]).toMatch(
    /^It is canceled already, and ends with your free days, on 2026-12-26 09:30 UTC\./,
  )
})

test('a withdrawal names the amount, also in short, and nothing comes back twice', () => {
  expect(withdrawStep(leaving, shown)).toEqual({
    words: [
      'You get back $9.63 of your payment of $12.50, the part for the 23 days left.',
      'Your access ends at once, and you will not be charged again.',
      'The money goes to the card that paid it. Banks take up to ten days to show it.',
      'This is possible until 2026-12-10 12:00 UTC.',
    ],
    short: '$9.63 comes back',
    button: 'Withdraw now',
  })
  const of = (part: object) =>
    withdrawStep({ ...leaving, withdrawal: leaving.withdrawal && { ...leaving.withdrawal, ...part } }, shown)
  expect(of({ returnsCents: 1250, delivered: false, daysLeft: null }).words[0]).toBe(
    'You get back your whole payment of $12.50, since by 2026-11-29 12:00 UTC nothing was published in the time that you paid for.',
  )
  expect(of({ returnsCents: 1250 }).words[0]).toBe(
    'You get back your whole payment of $12.50, with no day of it used.',
  )
  expect(of({ returnsCents: 0 })).toEqual({
    words: [
      'Nothing is returned: all that you paid has gone back before.',
      'Your access ends at once, and you will not be charged again.',
      'This is possible until 2026-12-10 12:00 UTC.',
    ],
    short: 'nothing comes back',
    button: 'Withdraw now',
  })
  expect(withdrawStep({ ...leaving, withdrawal: null }, shown)).toMatchObject({ button: null })
})

test('the buttons before which nothing happens are named by their labels, and none where there is none', () => {
  const [cancel, withdraw] = [cancelStep(leaving, shown), withdrawStep(leaving, shown)]
  expect(beforePressing([withdraw, cancel])).toBe(
    'Nothing happens before you press “Withdraw now” or “Cancel at 2026-12-26”.',
  )
  expect(beforePressing([cancel])).toBe('Nothing happens before you press “Cancel at 2026-12-26”.')
  const none = withdrawStep({ ...leaving, withdrawal: null }, shown)
  expect(beforePressing([none])).toBe('Nothing was changed.')
  expect(beforePressing([])).toBe('Nothing was changed.')
})
