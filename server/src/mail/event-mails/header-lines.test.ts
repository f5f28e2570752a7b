import { mails, type WrittenMail } from '@tradepost/emails/render'
import PostalMime from 'postal-mime'
import { expect, test } from 'vitest'
import { testSettings } from '../../../test/build-test-app.ts'
import { startCountingSink } from '../../../test/mails/counting-sink.ts'
import { makeMailer } from '../smtp/mailer.ts'
import { foldField } from './header-lines.ts'
import { makeMailTemplate, TOKEN_GAP } from './mail-template.ts'

const origin = 'https://tradepost.example'
const TRADER_ID = '0199c000-0000-7000-8000-000000000001'
const unsubscribeToken = 'AbC-_0123456789abcdefg'
const unsubscribeUrl = `${origin}/mail/unsubscribe/${TOKEN_GAP}`

function eventMail(mail: { from?: string; subject?: string; to?: string }): string {
  return makeMailTemplate({
    from: mail.from ?? 'Tradepost <signals@tradepost.example>',
    subject: mail.subject ?? '@maria opened AAPL at $187.52',
    text: 'text',
    html: '<p>text',
    at: new Date('2026-03-04T15:00:00.000Z'),
    messageId: { event: '1234567', source: TRADER_ID },
    listName: TRADER_ID,
    unsubscribeUrl,
  })
    .sheet()
    .to({ address: mail.to ?? 'reader@example.com', unsubscribeToken })
    .bytes('')
    .toString()
}

/** Header lines that are longer than RFC 5322 2.1.1 wants them, beside the one id, which is a single word and cannot be folded. */
function tooLong(raw: string): string[] {
  const [head = ''] = raw.split(/\r?\n\r?\n/)
  return head.split(/\r?\n/).filter((line) => line.length > 78 && !line.startsWith('Message-ID: <1234567.'))
}

const name = 'm'.repeat(45)
const company = `Tradepost, a company of many companies ${'and of more '.repeat(6)}at one place`

test.each([
  ['a common one', {}],
  ['a long subject', { subject: `@${name} closed ${'LONG.NAME '.repeat(12)}at $187.52 (+7.24%)` }],
  ['a subject of one word', { subject: `${'x'.repeat(900)} ends` }],
  ['a subject beyond ASCII', { subject: `@${name} opened ${'Ä📈'.repeat(60)} at $187.52` }],
  ['a long name of its sender', { from: `"${company}" <signals@tradepost.example>` }],
  ['such a name beyond ASCII', { from: `"${company} Ünïon" <signals@tradepost.example>` }],
  ['such a name without blanks', { from: `"${'T'.repeat(90)}" <signals@tradepost.example>` }],
  ['a long address', { to: `${'r'.repeat(54)}@people.example.com` }],
])(
  'no header line of a mail with %s is longer than 78 characters, and its meaning is the same',
  async (_, given) => {
    const raw = eventMail(given)
    expect(tooLong(raw)).toEqual([])
    const mail = await PostalMime.parse(raw)
    const { from = 'Tradepost <signals@tradepost.example>', subject = '@maria opened AAPL at $187.52' } =
      given as Parameters<typeof eventMail>[0]
    expect(mail.subject).toBe(subject)
    expect(mail.from?.name).toBe(/"(.*)"/.exec(from)?.[1] ?? 'Tradepost')
    expect(mail.to?.[0]?.address).toBe((given as { to?: string }).to ?? 'reader@example.com')
    const value = (key: string) => mail.headers.find((header) => header.key === key)?.value
    expect(value('list-unsubscribe')).toBe(`<${origin}/mail/unsubscribe/${unsubscribeToken}>`)
    expect(value('content-type')).toContain(`boundary="=_1234567.${TRADER_ID}"`)
  },
)

test('a word that a line of its own cannot hold stays behind the name of its field', () => {
  expect(foldField(`Message-ID: <${'1'.repeat(80)}@x>`)).toBe(`Message-ID: <${'1'.repeat(80)}@x>`)
  expect(foldField(`Message-ID: <${'1'.repeat(66)}@x>`)).toBe(`Message-ID:\r\n <${'1'.repeat(66)}@x>`)
})

test('no header line of any single mail is longer than 78 characters', async () => {
  const sink = await startCountingSink()
  const raws: string[] = []
  sink.script = {
    message({ raw }) {
      raws.push(raw)
      return null
    },
  }
  const { mail } = testSettings()
  const from = `"${company}" <signals@tradepost.example>`
  const mailer = makeMailer({ ...mail, from, smtpUrl: sink.url })
  const written = Object.values(mails).flatMap((one) =>
    Object.values(one.samples).map((props) =>
      (one as { write(props: object): WrittenMail }).write({ ...props, origin }),
    ),
  )
  const link = `${origin}/mail/unsubscribe/${unsubscribeToken}`
  for (const { subject, text, html } of [
    ...written,
    { subject: `${'Ä'.repeat(120)} ${company}`, text: 'x', html: null },
  ])
    await mailer.send({
      to: `${'r'.repeat(50)}@people.example.com`,
      subject,
      text,
      ...(html !== null && { html }),
      headers: { 'List-Unsubscribe': `<${link}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
    })
  mailer.close()
  await sink.close()
  expect(raws.length).toBeGreaterThan(40)
  expect(raws.flatMap(tooLong)).toEqual([])
})
