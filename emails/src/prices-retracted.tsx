import { BRAND } from '@tradepost/contract/brand'
import { formatPrice } from '@tradepost/contract/gain'
import { signedGain } from '@tradepost/contract/position-mail'
import * as z from 'zod'
import {
  type Correction,
  CorrectionFrame,
  correctionText,
  type Row,
  Rows,
  rowsText,
} from './correction-frame.tsx'
import { formatUtc } from './instants.ts'
import { activityUrl } from './links.ts'
import { defineMail, type Sender } from './mail.ts'
import { Paragraph, QuietLink, Subheading } from './parts.tsx'
import { RISK_TEXT, Risk } from './risk.tsx'
import { toHtml } from './to-html.ts'

/** Decimal texts, as stored, in US dollars. */
const prices = z.object({ before: z.string(), now: z.string() })
const position = z.object({
  /** Without the @; null for a position of the reader's own. */
  trader: z.nullable(z.string()),
  /** ISO 8601. */
  openedAt: z.string(),
  /** Null for a price that was right. */
  open: z.nullable(prices),
  close: z.nullable(prices),
  /** Gain in percent, decimal text with all its places; null while the position is open or its close is unsettled. */
  percentageGain: z.nullable(z.string()),
})
type Position = z.infer<typeof position>

const drawn = z.object({
  symbol: z.string(),
  /** First and last instant of the span, ISO 8601. */
  from: z.string(),
  to: z.string(),
  /** Decimal text, as stored: the price in place of each of them. */
  price: z.string(),
  reason: z.string(),
  /** As many as the mail shows, of those that the reader may see. */
  positions: z.array(position),
  /** How many more there are. */
  more: z.int(),
  /** Of each trader who is named: the address that stops mails about them. */
  stops: z.array(z.object({ trader: z.string(), unsubscribeUrl: z.string() })),
})
type RetractedProps = z.infer<typeof drawn> & Sender

const sampleOfMaria: Position = {
  trader: 'maria',
  openedAt: '2026-11-02T16:40:12.000Z',
  open: null,
  close: { before: '9999999.000000', now: '189.100000' },
  percentageGain: '0.842576791809',
}
const sample = {
  retractionId: '019ab0f0-0000-7000-8000-000000000001',
  symbol: 'AAPL',
  from: '2026-11-18T15:02:00.000Z',
  to: '2026-11-18T15:05:00.000Z',
  price: '189.100000',
  reason: 'The price provider reported prices at which nobody traded.',
}
const stopOf = (trader: string) => ({
  trader,
  unsubscribeUrl: `https://tradepost.example/mail/unsubscribe/${trader}_0123456789abcdefg`,
})

/**
 * To those who follow traders whose prices were taken back with those of others, and to the traders themselves: one mail about all of them
 * (ADR 0078). It is about positions, so traders whose mails are stopped are left out (rule G-63).
 */
export const pricesRetracted = defineMail({
  category: 'positions',
  withheldFrom: ['suspended', 'suppressed'],
  facts: z.object({ retractionId: z.uuid() }),
  drawn,
  write: (props) => ({
    subject: subjectOf(props),
    html: toHtml(<PricesRetracted {...props} />),
    text: pricesRetractedText(props),
    // One click can stop one trader's.
    ...(props.stops.length === 1 && props.stops[0] && { unsubscribeUrl: props.stops[0].unsubscribeUrl }),
  }),
  samples: {
    'prices-retracted': {
      ...sample,
      positions: [
        sampleOfMaria,
        {
          trader: 'ben',
          openedAt: '2026-11-18T15:03:20.000Z',
          open: { before: '0.000100', now: '189.100000' },
          close: null,
          percentageGain: null,
        },
      ],
      more: 0,
      stops: [stopOf('maria'), stopOf('ben')],
    },
    'prices-retracted-with-many-positions': {
      ...sample,
      positions: [sampleOfMaria],
      more: 12,
      stops: [stopOf('maria')],
    },
    'prices-retracted-of-own': {
      ...sample,
      positions: [{ ...sampleOfMaria, trader: null }],
      more: 0,
      stops: [],
    },
  },
})

function subjectOf({ symbol }: RetractedProps): string {
  return `Prices of ${symbol} were wrong, and we set them right`
}

function correctionOf(props: RetractedProps): Correction {
  const { from, origin, price, reason, symbol, to } = props
  return {
    subject: subjectOf(props),
    rows: [
      ['Stock', symbol],
      ['Wrong from', formatUtc(from)],
      ['Wrong until', formatUtc(to)],
      ['Price now', formatPrice(price)],
      ['Reason', reason],
    ],
    explained: `Nothing was bought or sold. Prices of ${symbol} that were recorded between these instants were wrong. In their place stands the first price that is known after them.`,
    activityUrl: activityUrl(origin),
  }
}

function PricesRetracted(props: RetractedProps) {
  return (
    <CorrectionFrame {...correctionOf(props)} footer={<Footer {...props} />}>
      {props.positions.map((one) => (
        <div key={`${one.trader} ${one.openedAt}`}>
          <Subheading>{whose(one)}</Subheading>
          <Rows rows={rowsOf(one)} />
        </div>
      ))}
      {props.more > 0 && <Paragraph>{moreOf(props)}</Paragraph>}
    </CorrectionFrame>
  )
}

function pricesRetractedText(props: RetractedProps): string {
  const positions = props.positions.map((one) => `${whose(one)}\n${rowsText(rowsOf(one))}`)
  const more = props.more > 0 ? [moreOf(props)] : []
  return correctionText(correctionOf(props), { footer: footerText(props), more: [...positions, ...more] })
}

function whose({ trader }: Position): string {
  return trader === null ? 'Your position' : `@${trader}`
}

function rowsOf({ close, open, openedAt, percentageGain }: Position): Row[] {
  const changeOf = ({ before, now }: z.infer<typeof prices>) =>
    `${formatPrice(now, before)}, was ${formatPrice(before, now)}`
  const rows: (Row | null)[] = [
    ['Opened', formatUtc(openedAt)],
    open && ['Open price', changeOf(open)],
    close && ['Close price', changeOf(close)],
    percentageGain === null ? null : ['Profit, corrected', signedGain(percentageGain)],
  ]
  return rows.filter((row) => row !== null)
}

function moreOf({ more }: RetractedProps): string {
  return `And ${more} more, which Activity lists.`
}

function because({ stops }: RetractedProps): string {
  const does = stops.length === 0 ? 'publish' : 'subscribe to traders'
  return `You get this mail because you ${does} on ${BRAND}.`
}

/** Why one gets it, and the way out of each trader's mails (rule G-63). */
function Footer(props: RetractedProps) {
  return (
    <>
      <Risk />
      {because(props)}
      {props.stops.map(({ trader, unsubscribeUrl }) => (
        <span key={trader}>
          {' '}
          <QuietLink href={unsubscribeUrl}>Unsubscribe from the mails about @{trader}</QuietLink>: your
          subscription goes on.
        </span>
      ))}
    </>
  )
}

function footerText(props: RetractedProps): string {
  const stops = props.stops.map(
    ({ trader, unsubscribeUrl }) =>
      `Unsubscribe from the mails about @${trader} (your subscription goes on):\n${unsubscribeUrl}\n`,
  )
  return `${RISK_TEXT}\n\n--\n${because(props)}\n${stops.join('')}`
}
