import { expect, test } from 'vitest'
import { mails } from './render.tsx'
import { sampleMails } from './samples.ts'

const all = Object.entries(sampleMails())

test.each(all)('the subject of the %s mail is one line', (_, mail) => {
  expect(mail.subject).not.toMatch(/[\r\n]/)
})

test('only mails to the operator are plain text', () => {
  expect(all.flatMap(([name, { html }]) => (html === null ? [name] : []))).toEqual([
    'operator-notice',
    'feedback',
  ])
})

test.each(
  all.flatMap(([name, mail]) => (mail.html === null ? [] : [[name, { ...mail, html: mail.html }] as const])),
)(
  'the %s mail loads nothing, reads in the dark, and contains in text what it contains in HTML',
  (_, mail) => {
    expect(mail.html).not.toMatch(/<(img|script|link|iframe)\b/i)
    expect(mail.html).not.toMatch(/url\(|@import/)
    expect(mail.html).toContain('prefers-color-scheme:dark')
    expect(mail.html).toContain('max-width:600px')
    expect(mail.text).toContain('You get this mail because')
    for (const [, link] of mail.html.matchAll(/href="([^"]*)"/g)) {
      expect(mail.text).toContain(link?.replaceAll('&amp;', '&'))
    }
  },
)

/** Kinds of single mails of which every sample contains the words, in HTML and text. */
function kindsThatContain(words: string): string[] {
  const byName = sampleMails()
  return Object.entries(mails).flatMap(([kind, { samples }]) => {
    const partsWithWords = Object.keys(samples).map((name) => {
      const { html, text } = byName[name] ?? { html: null, text: '' }
      return [html ?? '', text.replaceAll(/\s+/g, ' ')].filter((part) => part.includes(words)).length
    })
    return partsWithWords.every((parts) => parts === 2) ? [kind] : []
  })
}

test('the footer of a mail explains how it is stopped, as its category has it', () => {
  expect(kindsThatContain('Mails about money come even when mails about positions are stopped.')).toEqual([
    'payment_problem',
    'subscription_ended',
    'subscription_canceled',
    'subscription_kept',
    'subscription_withdrawn',
    'way_out',
    'first_follower',
    'double_payment_returned',
    'payment_warned',
    'trial_ending',
    'empty_month_returned',
    'empty_months_ahead',
    'empty_months_returned',
    'trader_unavailable',
    'payouts_lost',
    'payouts_paused',
    'payouts_rejected',
    'payment_disputed',
    'dispute_decided',
    'collection_paused',
    'collection_resumed',
    'price_proposed',
    'price_lowered',
  ])
  expect(kindsThatContain('Mails about the account itself cannot be stopped.')).toEqual([
    'account_suspended',
    'account_restored',
    'account_closed',
    'account_reopened',
    'account_erased',
    'about_removed',
  ])
  expect(kindsThatContain('Mails about its security cannot be stopped.')).toEqual([
    'account_code',
    'old_address_code',
    'address_changed',
    'address_restored',
    'second_factor_changed',
    'second_factor_tried',
    'recovery_code_used',
    'export_ready',
  ])
  expect(kindsThatContain('Unsubscribe from these mails')).toEqual(['subscription_started'])
  expect(kindsThatContain('You get this mail because someone asked to sign in')).toEqual(['sign_in'])
  expect(kindsThatContain('because of a position that you published on Tradepost.')).toEqual([
    'position_public',
  ])
})

test('mails about positions name the risk, in HTML and text', () => {
  const words = 'You can lose money: past gains promise nothing, and nothing here is investment advice.'
  expect(kindsThatContain(words)).toEqual([
    'subscription_started',
    'renewal_ahead',
    'prices_retracted',
    'position_public',
  ])
  const names = Object.entries(sampleMails()).flatMap(([name, { html, text }]) =>
    html?.includes(words) && text.replaceAll(/\s+/g, ' ').includes(words) ? [name] : [],
  )
  for (const name of [
    'position-opened',
    'position-closed-gain',
    'position-adjusted',
    'position-struck',
    'price-corrected',
    'symbol-renamed',
    'position-public',
    'position-public-already',
  ])
    expect(names, name).toContain(name)
})

test('a mail is of the category of which its footer speaks', () => {
  const of = (category: string) =>
    Object.entries(mails).flatMap(([kind, mail]) => (mail.category === category ? [kind] : []))
  expect(of('money')).toEqual(kindsThatContain('Mails about money come even when'))
  expect(of('account')).toEqual(kindsThatContain('Mails about the account itself'))
  expect(of('positions')).toEqual([
    'subscription_started',
    'renewal_ahead',
    'prices_retracted',
    'position_public',
  ])
  expect(of('security')).toEqual([
    'address_changed',
    'address_restored',
    'second_factor_changed',
    'second_factor_tried',
    'recovery_code_used',
    'export_ready',
  ])
  expect(of('sign-in')).toEqual(['sign_in', 'account_code', 'old_address_code', 'new_address_code'])
  expect(of('operator')).toEqual(['operator_notice', 'feedback'])
})

test('a suspended person gets codes, mails about security, the suspension and a closing, of leaving, and that of the subscriptions to them; a suppressed address codes, security and the way out', () => {
  const getting = (silenced: 'suspended' | 'suppressed') =>
    Object.entries(mails).flatMap(([kind, { category, withheldFrom }]) =>
      category === 'operator' || withheldFrom.includes(silenced) ? [] : [kind],
    )
  const always = [
    'sign_in',
    'account_code',
    'old_address_code',
    'new_address_code',
    'address_changed',
    'address_restored',
    'second_factor_changed',
    'second_factor_tried',
    'recovery_code_used',
    'export_ready',
  ]
  expect(getting('suspended').toSorted()).toEqual(
    [
      ...always,
      'account_suspended',
      'account_closed',
      'account_reopened',
      'account_erased',
      'payouts_lost',
      'subscription_canceled',
      'subscription_kept',
      'subscription_withdrawn',
      'payment_warned',
      'way_out',
    ].toSorted(),
  )
  expect(getting('suppressed')).toEqual([...always, 'way_out'])
})

test('somebody whose account is closed gets the mails of the closing alone', () => {
  const getting = Object.entries(mails).flatMap(([kind, mail]) => (mail.afterClosing ? [kind] : []))
  expect(getting).toEqual(['account_closed', 'account_erased'])
})

test.each(
  all.flatMap(([name, { html, subject }]) => (html === null ? [] : [[name, { html, subject }] as const])),
)('a reader that makes text of the HTML of the %s mail begins with the sender', (_, { html }) => {
  const body = html.slice(html.indexOf('<body'))
  const words = body
    .replaceAll(/<[^>]*>/g, '\n')
    .split(/\n+/)
    .filter(Boolean)
  expect(words.slice(0, 2)).toEqual(['Trade', 'post'])
})

test('a new follower is told how to stop: by the switch, by canceling, and by withdrawing', () => {
  const { html, text } = sampleMails()['subscription-started'] ?? {}
  const withdraw =
    'For 14 days from your first payment you can withdraw: your access ends at once, and you get back the part for the days that are left, or everything if the trader has published nothing since.'
  expect(text?.replaceAll(/\s+/g, ' ')).toContain(
    `What you have paid for stays yours to its end. ${withdraw}`,
  )
  expect(html).toContain(withdraw)
})

test('words of people stand in the direction in which they are written', () => {
  const block = (html: string | null | undefined, words: string) =>
    new RegExp(`<(?:p|td)[^>]*dir="auto"[^>]*>${words}`).test(html ?? '')
  const byName = sampleMails()
  expect(block(byName['position-opened-right-to-left']?.html, 'الأرباح')).toBe(true)
  expect(block(byName['position-closed-gain']?.html, 'The buy-back')).toBe(true)
  expect(block(byName['subscription-started']?.html, 'The services')).toBe(true)
  for (const name of ['price-corrected', 'position-struck', 'prices-retracted'])
    expect(block(byName[name]?.html, '(?:The price provider|It was opened)')).toBe(true)
  const reason = 'הערות שהועתקו.'
  const origin = 'https://tradepost.example'
  for (const mail of [mails.account_suspended, mails.account_restored]) {
    const written = mail.write({ reason, origin })
    expect(block(written.html, reason)).toBe(true)
    expect(written.text).toContain(`for this reason:\n\n${reason}\n\n`)
  }
  const removed = mails.about_removed.write({ about: 'סוחרת.', reason, origin })
  for (const words of ['סוחרת.', reason]) expect(block(removed.html, words)).toBe(true)
})
