import type { WrittenMail } from './mail.ts'
import {
  mails,
  renderPositionAdjustedMail,
  renderPositionClosedMail,
  renderPositionOpenedMail,
  renderPositionStruckMail,
  renderPriceCorrectedMail,
  renderSymbolRenamedMail,
} from './render.tsx'

const origin = 'https://tradepost.example'
const company = { companyName: 'Apple Inc' }
const position = {
  trader: 'maria',
  item: 'maria.42',
  origin,
  symbol: 'AAPL',
  openPrice: '187.520000',
  publishedAt: '2026-11-18T15:04:05.000Z',
  unsubscribeUrl: `${origin}/mail/unsubscribe/AbC-_0123456789abcdefg`,
  leaveUrl: `${origin}/mail/leave/fys.AbC-_0123456789abcdefg.AbC-_0123456789abcdefg`,
  // As long as one in a record of a million entries.
  receipt: 'AQEC'.repeat(334),
}
const longNotes = `The services business grows faster than the market gives it credit for, and the buy-back takes care of the rest.

I am wrong if it closes below 170 twice in a row; then I am out, whatever the news. https://example.com/a-long-link-that-nobody-would-type-by-hand-and-no-line-can-hold-as-a-whole`

/** Every mail in every form that its readers may see, by name; for people to look at and for the tests of them all. */
export function sampleMails(): Record<string, WrittenMail> {
  return { ...singleMails(), ...positionMails() }
}

function singleMails(): Record<string, WrittenMail> {
  return Object.fromEntries(
    Object.values(mails).flatMap((mail) =>
      Object.entries(mail.samples).map(([name, props]) => [name, write(mail, { ...props, origin })]),
    ),
  )
}

/** The samples of a mail are of its own props, which the compiler cannot follow through the registry. */
function write(mail: object, props: object): WrittenMail {
  return (mail as { write(props: object): WrittenMail }).write(props)
}

function positionMails(): Record<string, WrittenMail> {
  return {
    'position-opened': renderPositionOpenedMail({
      ...position,
      ...company,
      holdLength: 'one_to_three_weeks',
      notes: longNotes,
    }),
    'position-opened-right-to-left': renderPositionOpenedMail({
      ...position,
      ...company,
      holdLength: 'one_to_three_weeks',
      notes: 'الأرباح تنمو أسرع مما يظنه السوق (AAPL).\nאני טועה אם המחיר יורד מתחת ל-170.',
    }),
    'position-closed-gain': renderPositionClosedMail({
      ...position,
      ...company,
      closePrice: '201.1',
      percentageGain: '7.241894197952',
      openedAt: '2026-11-02T16:40:12.000Z',
      notes: 'The buy-back is done. Taking the profit.',
    }),
    'position-closed-unsettled': renderPositionClosedMail({
      ...position,
      ...company,
      closePrice: '201.1',
      percentageGain: '7.241894197952',
      openedAt: '2026-11-02T16:40:12.000Z',
      publishedAt: '2026-11-15T22:10:00.000Z',
      lastTradeAt: '2026-11-13T20:59:58.000Z',
      notes: 'The buy-back is done. Taking the profit.',
    }),
    'position-closed-loss': renderPositionClosedMail({
      ...position,
      ...company,
      closePrice: '169.9',
      percentageGain: '-9.396331',
      openedAt: '2026-11-17T20:59:01.000Z',
      notes: 'Two closes below 170: out, as I said.',
    }),
    'price-corrected': renderPriceCorrectedMail({
      ...position,
      end: 'close',
      priceBefore: '9999999.000000',
      price: '189.100000',
      percentageGain: '0.842576791809',
      reason: 'The price provider reported a price at which nobody traded.',
    }),
    'position-struck': renderPositionStruckMail({
      ...position,
      reason: 'It was opened at a price at which nobody traded.',
    }),
    'symbol-renamed': renderSymbolRenamedMail({ ...position, symbolBefore: 'AAPL', symbolAfter: 'APL' }),
    'position-adjusted': renderPositionAdjustedMail({
      ...position,
      newShares: 10,
      oldShares: 1,
      openPriceBefore: '1875.200000',
      percentageGain: null,
    }),
    'position-adjusted-after-its-close': renderPositionAdjustedMail({
      ...position,
      newShares: 10,
      oldShares: 1,
      openPriceBefore: '1875.200000',
      percentageGain: '7.241894197952',
    }),
  }
}
