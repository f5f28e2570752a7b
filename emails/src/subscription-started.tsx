import { WITHDRAWAL_SENTENCE } from '@tradepost/contract/consent'
import { formatPrice } from '@tradepost/contract/gain'
import { HOLD_LENGTH_LABELS, HOLD_LENGTHS } from '@tradepost/contract/hold-length'
import * as z from 'zod'
import { formatMarketTime } from './instants.ts'
import { Layout } from './layout.tsx'
import { SAMPLE_TRADER, trader } from './letter.tsx'
import { followedPositionsUrl, subscriptionsUrl, traderUrl } from './links.ts'
import { defineMail, type Sender } from './mail.ts'
import { light } from './palette.ts'
import { Button, Fact, Facts, Heading, Notes, Paragraph, Subheading } from './parts.tsx'
import { PositionFooter, positionFooterText } from './position-facts.tsx'
import { toHtml } from './to-html.ts'
import { wrap } from './wrap.ts'

const openPosition = z.object({
  symbol: z.string(),
  /** Null while nobody has found it out. */
  companyName: z.nullable(z.string()),
  /** Decimal text, as stored, in US dollars. */
  openPrice: z.string(),
  /** ISO 8601. */
  openedAt: z.string(),
  holdLength: z.enum(HOLD_LENGTHS),
  notes: z.string(),
})
type OpenPosition = z.infer<typeof openPosition>

const drawn = z.object({
  /** The trader's open positions when the mail is sent, newest first. */
  positions: z.array(openPosition),
  /** How many more there are. */
  more: z.int(),
  unsubscribeUrl: z.string(),
  leaveUrl: z.string(),
})
type StartedProps = z.infer<typeof drawn> & { trader: string } & Sender

const ids = {
  traderId: '019ab0f0-0000-7000-8000-000000000001',
  subscriptionId: '019ab0f0-0000-7000-8000-000000000002',
}
const sample = {
  ...SAMPLE_TRADER,
  ...ids,
  unsubscribeUrl: 'https://tradepost.example/mail/unsubscribe/AbC-_0123456789abcdefg',
  leaveUrl: 'https://tradepost.example/mail/leave/fys.AbC-_0123456789abcdefg.AbC-_0123456789abcdefg',
}
const samplePositions: OpenPosition[] = [
  {
    symbol: 'AAPL',
    companyName: 'Apple Inc',
    openPrice: '187.520000',
    openedAt: '2026-11-18T15:04:05.000Z',
    holdLength: 'one_to_three_weeks',
    notes: 'The services business grows faster than the market gives it credit for.\nI am wrong below 170.',
  },
  {
    symbol: 'PLUG',
    companyName: null,
    openPrice: '0.812500',
    openedAt: '2026-11-02T20:40:12.000Z',
    holdLength: 'more_than_six_months',
    notes: 'A bet on the grid deal. Small, and for long.',
  },
]

/**
 * To a follower when their subscription begins: what the trader holds already, since its mails went out before they came, and what happens
 * next. It is about positions, so it is not sent once mails about positions are stopped (rule G-63).
 */
export const subscriptionStarted = defineMail({
  category: 'positions',
  withheldFrom: ['suspended', 'suppressed'],
  facts: z.object({ ...trader, traderId: z.uuid(), subscriptionId: z.uuid() }),
  drawn,
  write: (props) => ({
    subject: subjectOf(props),
    html: toHtml(<SubscriptionStarted {...props} />),
    text: subscriptionStartedText(props),
    unsubscribeUrl: props.unsubscribeUrl,
  }),
  samples: {
    'subscription-started': { ...sample, positions: samplePositions, more: 0 },
    'subscription-started-with-many-positions': { ...sample, positions: samplePositions, more: 12 },
    'subscription-started-without-positions': { ...sample, positions: [], more: 0 },
  },
})

function subjectOf({ trader }: Pick<StartedProps, 'trader'>): string {
  return `You follow @${trader} from now on`
}

function SubscriptionStarted(props: StartedProps) {
  return (
    <Layout title={subjectOf(props)} preview={holds(props)} footer={<PositionFooter {...props} />}>
      <Heading>{subjectOf(props)}</Heading>
      <Paragraph>{next(props)}</Paragraph>
      <Paragraph>{holds(props)}</Paragraph>
      {props.positions.map((position) => (
        <Position key={position.symbol} {...position} />
      ))}
      {props.more > 0 && <Paragraph>{moreOf(props)}</Paragraph>}
      <Button href={action(props).url}>{action(props).label}</Button>
      <div style={{ height: '24px' }} />
      <Subheading>{STOPPING}</Subheading>
      <Paragraph>{stop(props)}</Paragraph>
      <a className="ink" href={subscriptionsUrl(props.origin)} style={{ color: light.ink }}>
        Open Account &gt; Subscriptions
      </a>
    </Layout>
  )
}

function Position({ symbol, companyName, openPrice, openedAt, holdLength, notes }: OpenPosition) {
  return (
    <>
      <Subheading>{companyName === null ? symbol : `${symbol} · ${companyName}`}</Subheading>
      <Facts>
        <Fact label="Open price">{formatPrice(openPrice)}</Fact>
        <Fact label="Opened">{formatMarketTime(openedAt)}</Fact>
        <Fact label="Planned hold">{HOLD_LENGTH_LABELS[holdLength]}</Fact>
      </Facts>
      <Notes>{notes}</Notes>
    </>
  )
}

const STOPPING = 'How to stop'

function action(props: StartedProps): { label: string; url: string } {
  return props.positions.length === 0
    ? { label: `View @${props.trader}`, url: traderUrl(props) }
    : { label: 'See them on your home page', url: followedPositionsUrl(props.origin) }
}

function next({ trader }: StartedProps): string {
  return `Whenever @${trader} opens or closes a position, you get a mail at once.`
}

/** @returns how many positions there are, as a sentence */
function holds({ trader, positions, more }: StartedProps): string {
  const count = positions.length + more
  if (count === 0)
    return `@${trader} has no open position right now. The first mail comes when the next one is opened.`
  return count === 1
    ? `One position of @${trader} is open right now. Below is the price at which it was opened.`
    : `${count} positions of @${trader} are open right now. Below are the prices at which they were opened.`
}

function moreOf({ positions, more }: StartedProps): string {
  return `These are the newest ${positions.length}. ${more} more ${more === 1 ? 'is' : 'are'} on your home page.`
}

function stop({ trader }: StartedProps): string {
  return `Under Account > Subscriptions you can switch off the mails about @${trader} and keep the subscription, or end it: choose Cancel there. What you have paid for stays yours to its end. ${WITHDRAWAL_SENTENCE}`
}

function subscriptionStartedText(props: StartedProps): string {
  const more = props.more > 0 ? `${wrap(moreOf(props))}\n\n` : ''
  return `${subjectOf(props)}

${wrap(next(props))}

${wrap(holds(props))}

${props.positions.map(positionText).join('')}${more}${action(props).label}:
${action(props).url}

${wrap(stop(props))}
${subscriptionsUrl(props.origin)}

${positionFooterText(props)}`
}

function positionText({ symbol, companyName, openPrice, openedAt, holdLength, notes }: OpenPosition): string {
  return `${companyName === null ? symbol : `${symbol} (${companyName})`}
Open price:   ${formatPrice(openPrice)}
Opened:       ${formatMarketTime(openedAt)}
Planned hold: ${HOLD_LENGTH_LABELS[holdLength]}

${notes}

`
}
