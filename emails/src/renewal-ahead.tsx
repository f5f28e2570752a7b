import { BILLING_INTERVALS } from '@tradepost/contract/billing-interval'
import { BRAND } from '@tradepost/contract/brand'
import { formatMoney } from '@tradepost/contract/money'
import { signedGain } from '@tradepost/contract/position-mail'
import * as z from 'zod'
import { formatUtcDay } from './instants.ts'
import { Layout } from './layout.tsx'
import { followedPositionsUrl, subscriptionsUrl } from './links.ts'
import { defineMail, type Sender } from './mail.ts'
import { Button, Fact, Facts, Heading, Paragraph, QuietLink, Subheading } from './parts.tsx'
import { LEAVE } from './position-facts.tsx'
import { RISK_TEXT, Risk } from './risk.tsx'
import { toHtml } from './to-html.ts'
import { wrap } from './wrap.ts'

/** Of one trader whose subscription renews; gains are percent of two places. */
const renewal = z.object({
  /** Without the @. */
  trader: z.string(),
  amountCents: z.int(),
  currency: z.string(),
  /** The time that the amount pays for. */
  interval: z.enum(BILLING_INTERVALS),
  /** When the reader began to follow them; ISO 8601. */
  since: z.string(),
  closed: z.int(),
  won: z.int(),
  mean: z.nullable(z.number()),
  index: z.nullable(z.number()),
  open: z.int(),
  leaveUrl: z.string(),
})
type Renewal = z.infer<typeof renewal>

const drawn = z.object({
  indexSymbol: z.string(),
  /** By name, at least one. */
  renewals: z.array(renewal),
  unsubscribeUrl: z.string(),
})
type RenewalProps = z.infer<typeof drawn> & { day: string } & Sender

const sample = {
  day: '2026-11-29',
  indexSymbol: 'SPY',
  unsubscribeUrl: 'https://tradepost.example/mail/unsubscribe/AbC-_0123456789abcdefg',
}
const ofMaria: Renewal = {
  trader: 'maria',
  amountCents: 1000,
  currency: 'usd',
  interval: 'month',
  since: '2026-08-03T12:00:00.000Z',
  closed: 6,
  won: 4,
  mean: 1.9,
  index: -0.8,
  open: 3,
  leaveUrl: 'https://tradepost.example/mail/leave/fys.AbC-_0123456789abcdefg.AbC-_0123456789abcdefg',
}
const ofCleo: Renewal = { ...ofMaria, trader: 'cleo', amountCents: 10_000, interval: 'year' }
const ofBen: Renewal = {
  ...ofMaria,
  trader: 'ben',
  since: '2026-10-29T12:00:00.000Z',
  closed: 0,
  won: 0,
  mean: null,
  index: null,
  open: 1,
}

/**
 * To a follower the day before subscriptions renew: what each trader has brought, so that going on is a choice (rule G-110). One mail for all
 * renewals of a day; one click stops these mails.
 */
export const renewalAhead = defineMail({
  category: 'positions',
  withheldFrom: ['suspended', 'suppressed'],
  /** `day`: of the renewals, in UTC, as `2026-11-29`. */
  facts: z.object({ day: z.iso.date() }),
  drawn,
  write: (props) => ({
    subject: subjectOf(props),
    html: toHtml(<RenewalAhead {...props} />),
    text: renewalAheadText(props),
    unsubscribeUrl: props.unsubscribeUrl,
  }),
  samples: {
    'renewal-ahead': { ...sample, renewals: [ofMaria] },
    'renewal-ahead-of-two': { ...sample, renewals: [ofBen, ofMaria] },
    'renewal-ahead-of-a-year': { ...sample, renewals: [ofCleo] },
    'renewal-ahead-of-both': { ...sample, renewals: [ofCleo, ofMaria] },
  },
})

function subjectOf({ day, renewals }: RenewalProps): string {
  const [first] = renewals
  const followed = renewals.length === 1 ? `@${first?.trader}` : `${renewals.length} traders`
  return `On ${formatUtcDay(day)} you pay ${priceOf(renewals)} for ${followed}`
}

/** The sum of each currency: `$20.00 and €4.90`. */
function priceOf(renewals: readonly Renewal[]): string {
  const byCurrency = Map.groupBy(renewals, ({ currency }) => currency)
  return [...byCurrency]
    .map(([currency, of]) =>
      formatMoney(
        of.reduce((sum, { amountCents }) => sum + amountCents, 0),
        currency,
      ),
    )
    .join(' and ')
}

const BEFORE =
  'This is what following has brought so far. Each position counts from the price at which you could have bought first, and the index over the same days.'
const STOP = 'Stop these mails'

function goOn(renewals: readonly Renewal[]): string {
  const renewing = BILLING_INTERVALS.filter((one) => renewals.some(({ interval }) => interval === one))
  return `If you want to go on, you need do nothing. To end a subscription choose Cancel under Account > Subscriptions: what you have paid for stays yours until its ${renewing.join(' or ')} is over.`
}

function rowsOf(one: Renewal, indexSymbol: string): [string, string][] {
  const rows: [string, string | false][] = [
    [`Another ${one.interval}`, formatMoney(one.amountCents, one.currency)],
    [
      `Closed since ${formatUtcDay(one.since)}`,
      one.closed === 0 ? 'nothing yet' : `${one.closed}, ${one.won} won`,
    ],
    ['Mean of these', one.mean !== null && signedGain(one.mean)],
    [`${indexSymbol} over the same days`, one.index !== null && signedGain(one.index)],
    ['Open now', String(one.open)],
  ]
  return rows.filter((row): row is [string, string] => row[1] !== false)
}

function RenewalAhead(props: RenewalProps) {
  return (
    <Layout title={subjectOf(props)} preview={BEFORE} footer={<Footer {...props} />}>
      <Heading>{subjectOf(props)}</Heading>
      <Paragraph>{BEFORE}</Paragraph>
      {props.renewals.map((one) => (
        <Trader key={one.trader} one={one} indexSymbol={props.indexSymbol} />
      ))}
      <Button href={followedPositionsUrl(props.origin)}>See their positions</Button>
      <div style={{ height: '24px' }} />
      <Paragraph>{goOn(props.renewals)}</Paragraph>
      <Paragraph>
        <QuietLink href={subscriptionsUrl(props.origin)}>Open Account &gt; Subscriptions</QuietLink>
      </Paragraph>
    </Layout>
  )
}

function Trader({ one, indexSymbol }: { one: Renewal; indexSymbol: string }) {
  return (
    <>
      <Subheading>{`@${one.trader}`}</Subheading>
      <Facts>
        {rowsOf(one, indexSymbol).map(([label, value]) => (
          <Fact key={label} label={label}>
            {value}
          </Fact>
        ))}
      </Facts>
    </>
  )
}

function Footer({ renewals, unsubscribeUrl }: RenewalProps) {
  return (
    <>
      <Risk />
      You get this mail because subscriptions of yours on {BRAND} renew.{' '}
      <QuietLink href={unsubscribeUrl}>{STOP}</QuietLink>: your subscriptions and the mails about positions go
      on.
      {renewals.map(({ leaveUrl, trader }) => (
        <div key={trader}>
          <QuietLink href={leaveUrl}>{`${LEAVE}: @${trader}`}</QuietLink>
        </div>
      ))}
    </>
  )
}

function renewalAheadText(props: RenewalProps): string {
  const traders = props.renewals.map(
    (one) =>
      `@${one.trader}\n${rowsOf(one, props.indexSymbol)
        .map(([label, value]) => `${label}: ${value}`)
        .join('\n')}\n\n`,
  )
  return `${subjectOf(props)}

${wrap(BEFORE)}

${traders.join('')}See their positions:
${followedPositionsUrl(props.origin)}

${wrap(goOn(props.renewals))}
${subscriptionsUrl(props.origin)}

${RISK_TEXT}

--
You get this mail because subscriptions of yours on ${BRAND} renew.
${STOP} (your subscriptions and the mails about positions go on):
${props.unsubscribeUrl}
${props.renewals.map(({ leaveUrl, trader }) => `${LEAVE}: @${trader}\n${leaveUrl}\n`).join('')}`
}
