import { elapsedBetween, elapsedWords } from '@tradepost/contract/elapsed'
import { formatPrice, isLoss } from '@tradepost/contract/gain'
import { closedSubject, signedGain } from '@tradepost/contract/position-mail'
import { formatMarketTime } from './instants.ts'
import { Layout } from './layout.tsx'
import { activityItemUrl } from './links.ts'
import { light } from './palette.ts'
import { Button, Fact, Facts, Heading, Notes, Paragraph } from './parts.tsx'
import {
  CompanyFact,
  type CompanyProps,
  companyText,
  PositionFooter,
  type PositionMailProps,
  positionFooterText,
  positionLinkText,
} from './position-facts.tsx'
import { firstWords, wrap } from './wrap.ts'

export type PositionClosedProps = PositionMailProps &
  CompanyProps & {
    /** Decimal text, as stored. */
    closePrice: string
    /** Gain in percent, decimal text with all its places. */
    percentageGain: string
    /** When the position was opened; ISO 8601. */
    openedAt: string
    /** Of an unsettled close: the instant of the last trade, which has its price and gain; ISO 8601. */
    lastTradeAt?: string | undefined
  }

/** For how long the position was open: `2 days`. */
function heldFor({ openedAt, publishedAt }: PositionClosedProps): string {
  const held = elapsedBetween(new Date(openedAt), new Date(publishedAt))
  return held === null ? 'less than a minute' : elapsedWords(held)
}

/** Both prices as people read them, side by side. */
function pricesOf({ closePrice, openPrice }: PositionClosedProps): { opened: string; closed: string } {
  return { opened: formatPrice(openPrice, closePrice), closed: formatPrice(closePrice, openPrice) }
}

/** An unsettled close has no price yet: the mail contains the last one, and when that was. */
function closeFacts(props: PositionClosedProps): [label: string, value: string][] {
  const { closed } = pricesOf(props)
  if (props.lastTradeAt === undefined) return [['Close price', closed]]
  return [
    ['Last price', closed],
    ['Last trade', formatMarketTime(props.lastTradeAt)],
    ['Settles', 'At the first trade after this'],
  ]
}

/** The meaning of an unsettled close, for readers who meet one for the first time. */
const UNSETTLED =
  'The position is closed. Its final price is that of the first trade after the close, and stands in Activity from then on; there is no further mail. Until then the profit counts in no average.'

function profitLabel({ lastTradeAt }: PositionClosedProps): string {
  return lastTradeAt === undefined ? 'Profit' : 'Profit so far'
}

/** The subject of the mail, which its first line repeats. */
export function positionClosedSubject(props: PositionClosedProps): string {
  return closedSubject({ ...props, ...(props.lastTradeAt !== undefined && { settled: false }) })
}

export function PositionClosed(props: PositionClosedProps) {
  const loss = isLoss(props.percentageGain)
  const { opened } = pricesOf(props)
  return (
    <Layout
      title={positionClosedSubject(props)}
      preview={`Opened at ${opened}. ${firstWords(props.notes)}`}
      footer={<PositionFooter {...props} />}
    >
      <Heading>{positionClosedSubject(props)}</Heading>
      <Facts>
        <CompanyFact name={props.companyName} />
        <Fact label="Open price">{opened}</Fact>
        {closeFacts(props).map(([label, value]) => (
          <Fact key={label} label={label}>
            {value}
          </Fact>
        ))}
        <Fact label={profitLabel(props)}>
          <span className={loss ? 'loss' : 'accent'} style={{ color: loss ? light.loss : light.accent }}>
            {signedGain(props.percentageGain)}
          </span>
        </Fact>
        <Fact label="Opened">{formatMarketTime(props.openedAt)}</Fact>
        <Fact label="Held">{heldFor(props)}</Fact>
        <Fact label="Published">{formatMarketTime(props.publishedAt)}</Fact>
      </Facts>
      {props.lastTradeAt !== undefined && <Paragraph>{UNSETTLED}</Paragraph>}
      <Notes>{props.notes}</Notes>
      <Button href={activityItemUrl(props)}>View in Activity</Button>
    </Layout>
  )
}

export function positionClosedText(props: PositionClosedProps): string {
  const { opened } = pricesOf(props)
  const closing = closeFacts(props).map(([label, value]) => `${`${label}:`.padEnd(12)} ${value}`)
  return `${positionClosedSubject(props)}

${companyText(props, 13)}Open price:  ${opened}
${closing.join('\n')}
${`${profitLabel(props)}:`.padEnd(12)} ${signedGain(props.percentageGain)}
Opened:      ${formatMarketTime(props.openedAt)}
Held:        ${heldFor(props)}
Published:   ${formatMarketTime(props.publishedAt)}
${props.lastTradeAt === undefined ? '' : `\n${wrap(UNSETTLED)}\n`}
${props.notes}

${positionLinkText(props)}

${positionFooterText(props)}`
}
