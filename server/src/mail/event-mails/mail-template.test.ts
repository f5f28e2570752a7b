import { renderPositionOpenedMail } from '@tradepost/emails/render'
import PostalMime from 'postal-mime'
import { expect, test } from 'vitest'
import { makeMailTemplate, quotedPrintable, senderAddress, TOKEN_GAP } from './mail-template.ts'

const TRADER_ID = '0199c000-0000-7000-8000-000000000001'
const reader = { address: 'reader@example.com', unsubscribeToken: 'AbC-_0123456789abcdefg' }

function openMail(story: { trader?: string; symbol?: string; notes?: string }) {
  const unsubscribeUrl = `https://tradepost.example/mail/unsubscribe/${TOKEN_GAP}`
  const rendered = renderPositionOpenedMail({
    companyName: null,
    trader: story.trader ?? 'maria',
    item: 'maria.42',
    symbol: story.symbol ?? 'AAPL',
    notes: story.notes ?? 'Bought for a reason.',
    openPrice: '187.52',
    publishedAt: '2026-03-04T15:00:00.000Z',
    holdLength: 'one_to_three_weeks',
    origin: 'https://tradepost.example',
    unsubscribeUrl,
    receipt: null,
  })
  return makeMailTemplate({
    from: 'Tradepost <signals@tradepost.example>',
    ...rendered,
    at: new Date('2026-03-04T15:00:00.000Z'),
    messageId: { event: '3', source: TRADER_ID },
    listName: TRADER_ID,
    unsubscribeUrl,
  })
    .sheet()
    .to(reader)
    .bytes('')
    .toString()
}

function headerNames(raw: string): string[] {
  const [head = ''] = raw.split('\r\n\r\n')
  return head.split(/\r\n(?![ \t])/).map((line) => line.split(':')[0] ?? '')
}

test('a filled mail names its sender, recipient and time, and how to unsubscribe', async () => {
  const raw = openMail({})
  const mail = await PostalMime.parse(raw)
  expect(mail.subject).toBe('@maria opened AAPL at $187.52')
  expect(mail.from).toMatchObject({ address: 'signals@tradepost.example', name: 'Tradepost' })
  expect(mail.to).toMatchObject([{ address: 'reader@example.com' }])
  expect(mail.messageId).toBe(`<3.a74ce2fbebf69136a12848d2.${TRADER_ID}@tradepost.example>`)
  expect(new Date(mail.date ?? '').toISOString()).toBe('2026-03-04T15:00:00.000Z')
  const headers = Object.fromEntries(mail.headers.map(({ key, value }) => [key, value]))
  const link = 'https://tradepost.example/mail/unsubscribe/AbC-_0123456789abcdefg'
  expect(headers['list-unsubscribe']).toBe(`<${link}>`)
  expect(headers['list-unsubscribe-post']).toBe('List-Unsubscribe=One-Click')
  expect(headers['auto-submitted']).toBe('auto-generated')
  expect(mail.text).toContain(link)
  expect(mail.html).toContain(`href="${link}"`)
})

test('line ends and header words in names, symbols and notes stay where they are', {
  tags: ['NOTIF-08'],
}, async () => {
  const plain = headerNames(openMail({}))
  const hostile = '\r\nBcc: victim@example.com\r\n\r\n<script>alert(1)</script>'
  for (const story of [
    { trader: `maria${hostile}` },
    { symbol: `AAPL${hostile}` },
    { notes: `notes${hostile}` },
    { notes: 'a dot\r\n.\r\nMAIL FROM:<x@example.com>\r\nand\n.\n\r.\rmore\u2028lines' },
    { symbol: `=?utf-8?Q?=0D=0ABcc:?= ${hostile}` },
    { notes: '--=_3.x--\r\n\r\nContent-Type: text/html' },
  ]) {
    const raw = openMail(story)
    expect(headerNames(raw)).toEqual(plain)
    const mail = await PostalMime.parse(raw)
    expect(mail.to).toMatchObject([{ address: 'reader@example.com' }])
    expect(mail.bcc).toBeUndefined()
    expect(mail.attachments).toEqual([])
    expect(mail.html).not.toContain('<script>')
    expect(raw).not.toMatch(/[^\r]\n|\r[^\n]/)
    expect(raw).not.toMatch(/(^|\n)\./)
    expect(raw).toMatch(/^\p{ASCII}*$/u)
  }
})

test('notes arrive as they were written, line breaks included, and as text', async () => {
  const notes = '  <b>Ünïcode</b> 📈 = 100 %\n\ttabs, "quotes" & ends with a blank \n.dot\nlast'
  const mail = await PostalMime.parse(openMail({ notes }))
  expect(mail.text).toContain(notes)
  expect(mail.html).toContain('&lt;b&gt;Ünïcode&lt;/b&gt; 📈 = 100 %<br/>')
})

test('a subject beyond ASCII is encoded in words that a header may hold', async () => {
  const raw = openMail({ symbol: 'Ä'.repeat(120) })
  expect((await PostalMime.parse(raw)).subject).toBe(`@maria opened ${'Ä'.repeat(120)} at $187.52`)
  for (const line of raw.split('\r\n')) expect(line.length).toBeLessThan(200)
})

test('in quoted-printable lines stay short, and what must stay whole stays whole', () => {
  const encoded = quotedPrintable(`${'x'.repeat(70)}${TOKEN_GAP}${'ü'.repeat(40)} `, [TOKEN_GAP])
  expect(encoded).toContain(TOKEN_GAP)
  expect(encoded.endsWith('=20')).toBe(true)
  for (const line of encoded.split('\r\n')) expect(line.length).toBeLessThanOrEqual(76)
})

test('characters that a mail server could change or cut are two digits in quoted-printable', () => {
  expect(quotedPrintable('a tab at the end\t\na null\0here\n', [])).toBe(
    'a tab at the end=09\r\na null=00here\r\n',
  )
})

test('the envelope sender is the bare address of MAIL_FROM', () => {
  expect(senderAddress('Tradepost <signals@tradepost.example>')).toBe('signals@tradepost.example')
  expect(senderAddress('signals@tradepost.example')).toBe('signals@tradepost.example')
})
