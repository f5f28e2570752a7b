import { expect, test } from 'vitest'
import {
  renderDoublePaymentReturnedMail,
  renderPaymentProblemMail,
  renderSubscriptionEndedMail,
  renderTraderUnavailableMail,
} from './render.tsx'

const money = { trader: 'maria', origin: 'https://tradepost.example', amountCents: 1234, currency: 'usd' }
const subscriptions = 'https://tradepost.example/account#subscriptions'
const profile = 'https://tradepost.example/trader/maria'

test.each([
  [
    'a declined renewal: the amount, that access goes on, and where to pay (G-33)',
    renderPaymentProblemMail({ ...money, problem: 'declined' }),
    'Your payment of $12.34 for @maria did not go through',
    ['was declined', 'goes on for now', 'Account > Subscriptions', subscriptions, profile],
  ],
  [
    'a renewal that the bank wants confirmed: what to do',
    renderPaymentProblemMail({ ...money, problem: 'action_required' }),
    'Your bank wants you to confirm $12.34 for @maria',
    ['not paid yet', 'goes on for now', 'Account > Subscriptions', subscriptions, profile],
  ],
  [
    'the end of a canceled subscription: nothing more is charged, and the way back',
    renderSubscriptionEndedMail({ ...money, why: 'canceled' }),
    'Your subscription to @maria has ended',
    ['It was canceled', 'not be charged', 'subscribe to @maria again', profile],
  ],
  [
    'the end of one that was not paid: why',
    renderSubscriptionEndedMail({ ...money, why: 'unpaid' }),
    'Your subscription to @maria has ended',
    ['did not go through', 'not be charged', profile],
  ],
  [
    'the end of a disputed one: who decides',
    renderSubscriptionEndedMail({ ...money, why: 'disputed' }),
    'Your subscription to @maria has ended',
    ['you dispute a payment', 'Your bank decides', subscriptions, profile],
  ],
  [
    'a second payment that went back: to the subscriber',
    renderDoublePaymentReturnedMail({ ...money, to: 'subscriber' }),
    'You paid twice for @maria: $12.34 is on its way back',
    ['The second one, $12.34,', 'goes on with the first', subscriptions, profile],
  ],
  [
    'a second payment that went back: to the trader, without the name of the one who paid',
    renderDoublePaymentReturnedMail({ ...money, to: 'trader' }),
    'A subscriber paid you twice: $12.34 was returned',
    ['Somebody paid twice', 'taken back', 'https://tradepost.example/account#payments', profile],
  ],
  [
    'a trader who cannot be paid any more: what went back (G-56)',
    renderTraderUnavailableMail(money),
    'Your subscription to @maria has ended: $12.34 is on its way back',
    ['cannot receive payments', '$12.34 goes back', subscriptions, profile],
  ],
])('the mail of %s', (_, mail, subject, words) => {
  expect(mail.subject).toBe(subject)
  const html = mail.html.replaceAll('&gt;', '>')
  const text = mail.text.replaceAll(/\s+/g, ' ')
  for (const word of [subject, ...words]) {
    expect(html).toContain(word)
    expect(text).toContain(word)
  }
  expect(mail.text.split('\n\n')[0]).toBe(subject)
})

test('the mail about a lost trader speaks of no amount when nothing was returned', () => {
  const mail = renderTraderUnavailableMail({ ...money, amountCents: 0 })
  expect(mail.subject).toBe('Your subscription to @maria has ended')
  expect(mail.html + mail.text).not.toMatch(/\$\d|returned/)
})

test('a name that is none stays text, and stays in the path of its link', () => {
  const trader = 'x"><script>alert(1)</script>/../../login?a=b#c'
  for (const mail of [
    renderPaymentProblemMail({ ...money, trader, problem: 'declined' }),
    renderSubscriptionEndedMail({ ...money, trader, why: 'canceled' }),
    renderDoublePaymentReturnedMail({ ...money, trader, to: 'trader' }),
    renderTraderUnavailableMail({ ...money, trader }),
  ]) {
    expect(mail.html).not.toContain('<script')
    const links = [...mail.html.matchAll(/href="([^"]*)"/g)].map(([, link]) => new URL(link ?? ''))
    expect(links.length).toBeGreaterThan(0)
    for (const link of links)
      expect(link.href).toMatch(/^https:\/\/tradepost\.example\/(trader\/[^/?#]+|account#\w+)$/)
  }
})
