import { expect, test } from 'vitest'
import { mails } from './render.tsx'
import { sampleMails } from './samples.ts'

const money = { trader: 'maria', origin: 'https://tradepost.example', amountCents: 1234, currency: 'usd' }
const subscriptions = 'https://tradepost.example/account#subscriptions'
const profile = 'https://tradepost.example/trader/maria'

test.each([
  [
    'a declined renewal: the amount, that access goes on, and where to pay (G-33)',
    mails.payment_problem.write({ ...money, problem: 'declined' }),
    'Your payment of $12.34 for @maria did not go through',
    ['was declined', 'goes on for now', 'Account > Subscriptions', subscriptions, profile],
  ],
  [
    'a renewal that the bank wants confirmed: what to do',
    mails.payment_problem.write({ ...money, problem: 'action_required' }),
    'Your bank wants you to confirm $12.34 for @maria',
    ['not paid yet', 'goes on for now', 'Account > Subscriptions', subscriptions, profile],
  ],
  [
    'the end of a canceled subscription: nothing more is charged, and the way back',
    mails.subscription_ended.write({ ...money, why: 'canceled' }),
    'Your subscription to @maria has ended',
    ['It was canceled', 'not be charged', 'subscribe to @maria again', profile],
  ],
  [
    'the end of one that was not paid: why',
    mails.subscription_ended.write({ ...money, why: 'unpaid' }),
    'Your subscription to @maria has ended',
    ['did not go through', 'not be charged', profile],
  ],
  [
    'the end of a disputed one: who decides',
    mails.subscription_ended.write({ ...money, why: 'disputed' }),
    'Your subscription to @maria has ended',
    ['you dispute a payment', 'Your bank decides', subscriptions, profile],
  ],
  [
    'a second payment that went back: to the subscriber',
    mails.double_payment_returned.write({ ...money, to: 'subscriber' }),
    'You paid twice for @maria: $12.34 is on its way back',
    ['Your whole second payment of $12.34', 'goes on with the first', subscriptions, profile],
  ],
  [
    'a second payment that went back: to the trader, without the name of the one who paid',
    mails.double_payment_returned.write({ ...money, to: 'trader' }),
    'A subscriber paid you twice: $12.34 was returned',
    ['Somebody paid twice', 'taken back', 'https://tradepost.example/account#payments', profile],
  ],
  [
    'a dispute: the share of the trader and the fee',
    mails.payment_disputed.write({ ...money, shareCents: 1111 }),
    'A payment of $12.34 to you is disputed',
    [
      'of which $11.11 was yours',
      'gives up its fee of $1.23',
      'Returned and disputed',
      subscriptions,
      profile,
    ],
  ],
  [
    'a dispute where a tax may be in the payment: the rest beside the share is not the fee alone',
    mails.payment_disputed.write({ ...money, shareCents: 756, taxLiable: 'platform' }),
    'A payment of $12.34 to you is disputed',
    ['of which $7.56 was yours', 'gives up its fee.', subscriptions],
  ],
  [
    'a dispute of a time before shares were mailed',
    mails.payment_disputed.write(money),
    'A payment of $12.34 to you is disputed',
    ['for following you. Their subscription', 'gives up its fee.', subscriptions, profile],
  ],
  [
    'a dispute that is lost: the share of the trader',
    mails.dispute_decided.write({ ...money, shareCents: 1111, outcome: 'lost' }),
    'The dispute about $12.34 is lost: the payment stays with its payer',
    ['of which $11.11 was yours', 'is not paid again', subscriptions, profile],
  ],
  [
    'a warning to the trader: their share and the fee',
    mails.payment_warned.write({
      ...{
        ...money,
        shareCents: 1111,
        to: 'trader',
        paidAt: '2026-11-27T15:04:05.000Z',
        ended: true,
        more: false,
      },
    }),
    "A subscriber's payment was returned: $12.34",
    ['of which $11.11 was yours', 'returns its fee of $1.23', subscriptions, profile],
  ],
  [
    'a withdrawal to the trader: their share and the fee',
    mails.subscription_withdrawn.write({
      ...{ ...money, shareCents: 1111, to: 'trader', at: '2026-11-27T15:04:05.000Z', paidCents: 1250 },
      delivered: true,
    }),
    'A subscriber has withdrawn: $12.34 is returned',
    ['Your share of it, $11.11, is taken back', 'returns its fee of $1.23', subscriptions, profile],
  ],
  [
    'a trader who cannot be paid any more: what went back (G-56)',
    mails.trader_unavailable.write(money),
    'Your subscription to @maria has ended: $12.34 is on its way back',
    ['cannot receive payments', 'You get back $12.34, to the card', subscriptions, profile],
  ],
])('the mail of %s', (_, mail, subject, words) => {
  expect(mail.subject).toBe(subject)
  const html = mail.html?.replaceAll('&gt;', '>').replaceAll('&#x27;', "'")
  const text = mail.text.replaceAll(/\s+/g, ' ')
  for (const word of [subject, ...words]) {
    expect(html).toContain(word)
    expect(text).toContain(word)
  }
  expect(mail.text.split('\n\n')[0]).toBe(subject)
})

test('the mail of a first follower names the interval, and a month where it was asked for before there was another', () => {
  const facts = { ...money, feePercent: 10 }
  const textOf = (mail: { text: string }) => mail.text.replaceAll(/\s+/g, ' ')
  expect(textOf(mails.first_follower.write(facts))).toContain('for $12.34 a month.')
  expect(textOf(mails.first_follower.write({ ...facts, interval: 'month' }))).toContain('for $12.34 a month.')
  expect(textOf(mails.first_follower.write({ ...facts, interval: 'year' }))).toContain('for $12.34 a year.')
})

test('the mail before renewals says until when what is paid for stays, by what renews', () => {
  const textOf = (name: string) => sampleMails()[name]?.text.replaceAll(/\s+/g, ' ')
  expect(textOf('renewal-ahead')).toContain('stays yours until its month is over.')
  expect(textOf('renewal-ahead-of-a-year')).toContain('stays yours until its year is over.')
  expect(textOf('renewal-ahead-of-both')).toContain('stays yours until its month or year is over.')
  expect(textOf('renewal-ahead-of-both')).toMatch(
    /@cleo Another year: \$100\.00 .*@maria Another month: \$10\.00 /,
  )
})

test('the mail about a lost trader speaks of no amount when nothing was returned', () => {
  const mail = mails.trader_unavailable.write({ ...money, amountCents: 0 })
  expect(mail.subject).toBe('Your subscription to @maria has ended')
  expect(`${mail.html}${mail.text}`).not.toMatch(/\$\d|returned/)
})

test('a name that is none stays text, and stays in the path of its link', () => {
  const trader = 'x"><script>alert(1)</script>/../../login?a=b#c'
  for (const mail of [
    mails.payment_problem.write({ ...money, trader, problem: 'declined' }),
    mails.subscription_ended.write({ ...money, trader, why: 'canceled' }),
    mails.double_payment_returned.write({ ...money, trader, to: 'trader' }),
    mails.trader_unavailable.write({ ...money, trader }),
  ]) {
    expect(mail.html).not.toContain('<script')
    const links = [...(mail.html ?? '').matchAll(/href="([^"]*)"/g)].map(([, link]) => new URL(link ?? ''))
    expect(links.length).toBeGreaterThan(0)
    for (const link of links)
      expect(link.href).toMatch(/^https:\/\/tradepost\.example\/(trader\/[^/?#]+|account#\w+)$/)
  }
})

const opened = {
  symbol: 'AAPL',
  holdLength: 'one_to_three_weeks',
  openPrice: '187.520000',
  openedAt: '2026-11-11T15:04:05.000Z',
  publicAt: '2026-12-03T15:04:05.000Z',
  origin: 'https://tradepost.example',
} as const

test.each([
  [
    'that becomes public',
    false,
    'AAPL becomes public on Dec 3',
    'If it is open on Dec 3, 2026, 15:04:05 UTC, everybody',
  ],
  ['that is public already', true, 'AAPL is public since Dec 3', 'Since Dec 3, 2026, 15:04:05 UTC everybody'],
])(
  'the mail of a position %s contains from when, what is shown, and where it is closed',
  (_, isPublic, subject, from) => {
    const mail = mails.position_public.write({ ...opened, isPublic })
    expect(mail.subject).toBe(subject)
    const html = mail.html?.replaceAll('&gt;', '>').replaceAll('&#x27;', "'")
    const text = mail.text.replaceAll(/\s+/g, ' ')
    const held = 'You opened AAPL at $187.52 on Nov 11 with a planned hold of 1-3 weeks'
    for (const word of [held, from, 'not your notes', 'https://tradepost.example/?tab=personal']) {
      expect(html).toContain(word)
      expect(text).toContain(word)
    }
    expect(text).toContain('You get this mail because of a position that you published on Tradepost.')
    expect(text).not.toContain('about money')
  },
)
