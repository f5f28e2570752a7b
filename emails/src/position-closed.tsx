import { elapsedBetween, elapsedWords } from '@tradepost/contract/elapsed'
import { formatPrice, isLoss } from '@tradepost/contract/gain'
import { closedSubject, signedGain } from '@tradepost/contract/position-mail'
import { formatMarketTime } from './instants.ts'
import { Layout } from './layout.tsx'
import { activityItemUrl } from './links.ts'
import { light } from './palette.ts'
import { Button, Fact, Facts, Heading, Notes } from './parts.tsx'
import {
  firstWords,
  PositionFooter,
  type PositionMailProps,
  positionFooterText,
  positionLinkText,
} from './position-facts.tsx'

export type PositionClosedProps = PositionMailProps & {
  /** Decimal text, as stored. */
  closePrice: string
  /** Gain in percent, decimal text with all its places. */
  percentageGain: string
  /** When the position was opened; ISO 8601. */
  openedAt: string
}

/** For how long the position was open: `2 days`. */
function heldFor({ openedAt, publishedAt }: PositionClosedProps): string {
  const held = elapsedBetween(new Date(openedAt), new Date(publishedAt))
  return held === null ? 'less than a minute' : elapsedWords(held)
}

export function PositionClosed(props: PositionClosedProps) {
  const loss = isLoss(props.percentageGain)
  return (
    <Layout
      title={closedSubject(props)}
      preview={`Opened at ${formatPrice(props.openPrice)}. ${firstWords(props.notes)}`}
      footer={<PositionFooter {...props} />}
    >
      <Heading>{closedSubject(props)}</Heading>
      <Facts>
        <Fact label="Stock">{props.symbol}</Fact>
        <Fact label="Open price">{formatPrice(props.openPrice)}</Fact>
        <Fact label="Close price">{formatPrice(props.closePrice)}</Fact>
        <Fact label="Profit">
          <span className={loss ? 'loss' : 'accent'} style={{ color: loss ? light.loss : light.accent }}>
            {signedGain(props.percentageGain)}
          </span>
        </Fact>
        <Fact label="Opened">{formatMarketTime(props.openedAt)}</Fact>
        <Fact label="Held">{heldFor(props)}</Fact>
        <Fact label="Published">{formatMarketTime(props.publishedAt)}</Fact>
      </Facts>
      <Notes>{props.notes}</Notes>
      <Button href={activityItemUrl(props)}>View in Activity</Button>
    </Layout>
  )
}

export function positionClosedText(props: PositionClosedProps): string {
  return `${closedSubject(props)}

Stock:       ${props.symbol}
Open price:  ${formatPrice(props.openPrice)}
Close price: ${formatPrice(props.closePrice)}
Profit:      ${signedGain(props.percentageGain)}
Opened:      ${formatMarketTime(props.openedAt)}
Held:        ${heldFor(props)}
Published:   ${formatMarketTime(props.publishedAt)}

${props.notes}

${positionLinkText(props)}

${positionFooterText(props)}`
}
