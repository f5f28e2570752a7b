import { toBase64Url } from '@tradepost/record/bytes'
import { historyOf } from '@tradepost/record/test-history'
import { expect, test } from 'vitest'
import { findReceipts } from './find-receipts.ts'

const receipt = historyOf().receipt(100)
const link = toBase64Url(receipt)
const address = `https://tradepost.example/verify#${link}`
const quotedPrintable = (address.match(/.{1,75}/g) ?? []).join('=\r\n')
const base64 = btoa(`<a href="${address}">Verify</a>`).replaceAll(/.{76}/g, '$&\r\n')

test.each([
  ['a link', address],
  ['a text around a link', `Look at this:\n<${address}>\nand that.`],
  ['the end of a link alone', ` ${link}\n`],
  ['the end of a link whose lines were cut', link.replaceAll(/.{70}/g, '$&\n')],
  [
    'a link that a gateway of mails has rewritten',
    `https://safe.example/?url=${encodeURIComponent(address)}`,
  ],
  [
    'a quoted-printable mail',
    `Content-Transfer-Encoding: quoted-printable\r\n\r\nHello\r\n${quotedPrintable}\r\n`,
  ],
  ['a quoted-printable mail that writes the sign too', quotedPrintable.replace('#', '=23')],
  ['a base64 mail', `Subject: x\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64}\r\n--boundary--`],
  ['a mail of two parts with the same link', `${quotedPrintable}\r\n--part\r\n\r\n${address}`],
])('the receipt is found in %s', (_what, text) => {
  expect(findReceipts(text)).toEqual([{ link, bytes: receipt }])
})

test('several are found in their order, and a damaged one is told apart from none', () => {
  const other = toBase64Url(historyOf().receipt(120))
  expect(findReceipts(`${address} ${address.replace(link, other)}`).map((found) => found.link)).toEqual([
    link,
    other,
  ])
  expect(findReceipts('https://tradepost.example/verify#abcde')).toEqual([{ link: 'abcde', bytes: null }])
  expect(findReceipts('No link at all, and nothing long.')).toEqual([])
})
