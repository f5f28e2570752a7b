import { expect, test } from 'vitest'
import {
  mails,
  renderPositionAdjustedMail,
  renderPositionClosedMail,
  renderPositionOpenedMail,
  renderPositionStruckMail,
  renderPriceCorrectedMail,
} from './render.tsx'

const company = { companyName: 'Apple Inc' }
const shared = {
  trader: 'maria',
  item: 'maria.42',
  symbol: 'AAPL',
  openPrice: '187.520000',
  publishedAt: '2026-11-18T15:04:05.000Z',
  notes: 'Strong quarter ahead.\nStop at 170.',
  origin: 'https://tradepost.example',
  unsubscribeUrl: 'https://tradepost.example/mail/unsubscribe/abc',
  receipt: 'AQID-_receipt',
}

test('the open mail contains ticker, opening price, planned hold and notes', () => {
  const mail = renderPositionOpenedMail({ ...shared, ...company, holdLength: 'one_to_three_weeks' })
  expect(mail.subject).toBe('@maria opened AAPL at $187.52')
  for (const part of [mail.html, mail.text]) {
    for (const words of ['AAPL', '$187.52', '1-3 weeks', 'Strong quarter ahead.', 'Stop at 170.'])
      expect(part).toContain(words)
    for (const link of ['https://tradepost.example/trader/maria', shared.unsubscribeUrl])
      expect(part).toContain(link)
    expect(part).toContain('because you subscribe to')
  }
  expect(mail.text.split('\n')[0]).toBe(mail.subject)
  expect(mail.html).toContain('Strong quarter ahead.<br/>Stop at 170.')
})

test('a mail about a position has its receipt in the fragment of a link, and says where it will be while there is none', () => {
  const mail = { ...shared, ...company, holdLength: 'one_to_three_weeks' } as const
  const proven = renderPositionOpenedMail(mail)
  expect(proven.text).toContain('Verify this signal:\nhttps://tradepost.example/verify#AQID-_receipt\n')
  expect(proven.html).toContain('href="https://tradepost.example/verify#AQID-_receipt"')
  const late = renderPositionOpenedMail({ ...mail, receipt: null })
  expect(late.text).toContain(
    'Its receipt is late: the public record will have it.\nhttps://tradepost.example/record\n',
  )
  expect(late.html).toContain('href="https://tradepost.example/record"')
  expect(late.html + late.text).not.toContain('/verify')
})

test('the button of each mail about a position leads to its event in Activity', () => {
  const openedAt = '2026-11-02T16:40:12.000Z'
  const split = { newShares: 10, oldShares: 1, openPriceBefore: '1875.2', percentageGain: null }
  for (const { html } of [
    renderPositionOpenedMail({ ...shared, ...company, holdLength: 'one_to_three_weeks' }),
    renderPositionClosedMail({
      ...shared,
      ...company,
      openedAt,
      closePrice: '201.1',
      percentageGain: '7.24',
    }),
    renderPositionAdjustedMail({ ...shared, ...split }),
  ])
    expect(html).toMatch(
      /<a [^>]*href="https:\/\/tradepost\.example\/activity\?item=maria\.42"[^>]*>(<[^>]+>|\s|<!--.*?-->)*View in Activity/s,
    )
})

test('the close mail contains opening and closing price, profit and notes', () => {
  const openedAt = '2026-11-02T16:40:12.000Z'
  const gain = { ...shared, ...company, openedAt, closePrice: '201.1', percentageGain: '7.241894197952' }
  const mail = renderPositionClosedMail(gain)
  expect(mail.subject).toBe('@maria closed AAPL at $201.10 (+7.24%)')
  for (const part of [mail.html, mail.text]) {
    for (const words of ['AAPL', '$187.52', '$201.10', '+7.24%', 'Strong quarter ahead.'])
      expect(part).toContain(words)
  }
  const loss = renderPositionClosedMail({ ...gain, closePrice: '0.5', percentageGain: '-99.733' })
  expect(loss.subject).toBe('@maria closed AAPL at $0.500 (-99.73%)')
  const even = renderPositionClosedMail({ ...gain, closePrice: '187.52', percentageGain: '-0.001' })
  expect(even.subject).toBe('@maria closed AAPL at $187.52 (0.00%)')
})

test('a close mail writes two prices so that one sees their difference, in each place alike', () => {
  const openedAt = '2026-11-02T16:40:12.000Z'
  const prices = { openPrice: '10.001000', closePrice: '10.004000', percentageGain: '0.029997000300' }
  const mail = renderPositionClosedMail({ ...shared, ...company, ...prices, openedAt })
  expect(mail.subject).toBe('@maria closed AAPL at $10.0040 (+0.03%)')
  expect(mail.text).toContain('\nOpen price:  $10.0010\nClose price: $10.0040\n')
  expect(mail.html).toContain('Opened at $10.0010.')
  for (const price of ['>$10.0010<', '>$10.0040<', 'at $10.0040 (+0.03%)']) expect(mail.html).toContain(price)
})

test('a split mail writes the open price before and now so that one sees their difference', () => {
  const split = { newShares: 10_001, oldShares: 10_000, openPriceBefore: '10.002000', percentageGain: null }
  const mail = renderPositionAdjustedMail({ ...shared, ...split, openPrice: '10.001000' })
  expect(mail.subject).toMatch(/: open price \$10\.0010$/)
  expect(mail.text).toMatch(/Open price before: +\$10\.0020\nOpen price now: +\$10\.0010\n/)
})

test('both mails contain when they were published, the close mail also since when and for how long it was held', () => {
  const opened = renderPositionOpenedMail({ ...shared, ...company, holdLength: 'one_to_three_weeks' })
  expect(opened.text).toContain('\nPublished:    Nov 18, 2026, 15:04:05 UTC (10:04 New York)\n')
  expect(opened.html).toContain('Nov 18, 2026, 15:04:05 UTC (10:04 New York)')
  const close = { ...shared, ...company, closePrice: '201.1', percentageGain: '7.24' }
  const closed = renderPositionClosedMail({ ...close, openedAt: '2026-11-02T16:40:12.000Z' })
  expect(closed.text).toContain(`
Opened:      Nov 2, 2026, 16:40:12 UTC (11:40 New York)
Held:        15 days
Published:   Nov 18, 2026, 15:04:05 UTC (10:04 New York)
`)
  for (const words of ['Nov 2, 2026, 16:40:12 UTC', '>15 days<', 'Nov 18, 2026, 15:04:05 UTC'])
    expect(closed.html).toContain(words)
  const atOnce = renderPositionClosedMail({ ...close, openedAt: '2026-11-18T15:03:50.000Z' })
  expect(atOnce.text).toContain('\nHeld:        less than a minute\n')
})

test('the first fact of an open and of a close is the company, where its name is known, and none repeats the heading', () => {
  const openedAt = '2026-11-02T16:40:12.000Z'
  const closed = { ...shared, openedAt, closePrice: '201.1', percentageGain: '7.24' }
  const opened = { ...shared, holdLength: 'one_to_three_weeks' as const }
  const labels = ({ html }: { html: string }) =>
    [...html.matchAll(/white-space:nowrap">([^<]+)</g)].map(([, label]) => label)
  const open = renderPositionOpenedMail({ ...opened, ...company })
  expect(labels(open)).toEqual(['Company', 'Planned hold', 'Open price', 'Published'])
  expect(open.text).toContain('\nCompany:      Apple Inc\nPlanned hold: 1-3 weeks\n')
  const close = renderPositionClosedMail({ ...closed, ...company })
  expect(labels(close)).toEqual([
    'Company',
    'Open price',
    'Close price',
    'Profit',
    'Opened',
    'Held',
    'Published',
  ])
  expect(close.text).toContain('\nCompany:     Apple Inc\nOpen price:  $187.52\n')
  for (const { html, text } of [
    renderPositionOpenedMail({ ...opened, companyName: null }),
    renderPositionClosedMail({ ...closed, companyName: null }),
  ])
    for (const part of [html, text]) expect(part).not.toMatch(/Company|Stock/)
})

test('what a trader writes is text in the HTML part, never markup', { tags: ['NOTIF-06'] }, () => {
  const notes = '<b>bold</b> <img src=x onerror=alert(1)> "quotes" & more'
  const { html } = renderPositionOpenedMail({
    ...shared,
    ...company,
    notes,
    holdLength: 'more_than_six_months',
  })
  expect(html).not.toContain('<b>')
  expect(html).not.toContain('<img')
  expect(html).toContain('&lt;b&gt;bold&lt;/b&gt; &lt;img src=x onerror=alert(1)&gt;')
})

test('the sign-in mail holds the code first, then the link, and how long they live', {
  tags: ['LOGIN-04'],
}, () => {
  const link = 'https://tradepost.example/login#token_hash=secret&type=email'
  const mail = mails.sign_in.write({
    challengeId: '019ab0f0-0000-7000-8000-000000000001',
    code: '042137',
    link,
    origin: 'https://tradepost.example',
  })
  expect(mail.subject).toBe('042137 is your Tradepost sign-in code')
  expect(mail.text.startsWith('042137\n')).toBe(true)
  expect(mail.text).toContain(link)
  expect(mail.html).toContain('token_hash=secret&amp;type=email')
  for (const part of [mail.html, mail.text]) {
    expect(part).toContain('10 minutes')
    expect(part).toContain('30 minutes')
    expect(part?.indexOf('042137')).toBeLessThan(part?.indexOf('token_hash') ?? 0)
  }
})

test('the mail of a corrected price contains which price it was and is, the gain that follows, and the reason', () => {
  const corrected = {
    ...shared,
    priceBefore: '9999999',
    price: '189.1',
    reason: 'Nobody traded at that price.',
  }
  const mail = renderPriceCorrectedMail({ ...corrected, end: 'close', percentageGain: '0.842576791809' })
  expect(mail.subject).toBe("@maria's AAPL, corrected: close price $189.10")
  expect(mail.text).toContain(`
Close price before: $9999999.00
Close price now:    $189.10
Profit, corrected:  +0.84%
Reason:             Nobody traded at that price.
`)
  const open = renderPriceCorrectedMail({ ...corrected, end: 'open', percentageGain: null })
  expect(open.text).toContain('\nOpen price now:    $189.10\n')
  expect(open.text).not.toContain('Profit')
})

test('the mail of a struck position contains the reason, and that it counts nowhere', () => {
  const mail = renderPositionStruckMail({ ...shared, reason: 'Nobody traded at that price.' })
  expect(mail.subject).toBe("@maria's position in AAPL was struck")
  expect(mail.text).toContain('\nStock:  AAPL\nReason: Nobody traded at that price.\n')
  for (const part of [mail.html, mail.text]) expect(part).toContain('counts nowhere')
})
