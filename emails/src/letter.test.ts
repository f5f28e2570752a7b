import { expect, test } from 'vitest'
import { mails } from './render.tsx'

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
    ['The second one, $12.34,', 'goes on with the first', subscriptions, profile],
  ],
  [
    'a second payment that went back: to the trader, without the name of the one who paid',
    mails.double_payment_returned.write({ ...money, to: 'trader' }),
    'A subscriber paid you twice: $12.34 was returned',
    ['Somebody paid twice', 'taken back', 'https://tradepost.example/account#payments', profile],
  ],
  [
    'a trader who cannot be paid any more: what went back (G-56)',
    mails.trader_unavailable.write(money),
    'Your subscription to @maria has ended: $12.34 is on its way back',
    ['cannot receive payments', '$12.34 goes back', subscriptions, profile],
  ],
])('the mail of %s', (_, mail, subject, words) => {
  expect(mail.subject).toBe(subject)
  const html = mail.html?.replaceAll('&gt;', '>')
  const text = mail.text.replaceAll(/\s+/g, ' ')
  for (const word of [subject, ...words]) {
    expect(html).toContain(word)
    expect(text).toContain(word)
  }
  expect(mail.text.split('\n\n')[0]).toBe(subject)
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
