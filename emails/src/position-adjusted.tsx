import { formatPrice } from '@tradepost/contract/gain'
import { signedGain } from '@tradepost/contract/position-mail'
import { Layout } from './layout.tsx'
import { activityItemUrl } from './links.ts'
import { Button, Fact, Facts, Heading, Paragraph } from './parts.tsx'
import {
  PositionFooter,
  type PositionMailProps,
  positionFooterText,
  positionLinkText,
} from './position-facts.tsx'
import { wrap } from './wrap.ts'

/** A split, as the followers of a position in the stock are told of it. */
export type PositionAdjustedProps = Omit<PositionMailProps, 'notes'> & {
  /** For so many old shares holders have so many new ones. */
  newShares: number
  oldShares: number
  /** Of one old share; `openPrice` is that of one new share. Decimal text, as stored. */
  openPriceBefore: string
  /** Gain in percent, decimal text with all its places, when the position was closed meanwhile. */
  percentageGain: string | null
}

const EXPLAINED =
  'The stock was split. Nothing was bought or sold, and what it is worth did not change: prices are now counted in new shares.'

function splitWords({ newShares, oldShares }: PositionAdjustedProps): string {
  return `${newShares} for ${oldShares}`
}

export function adjustedSubject(props: PositionAdjustedProps): string {
  const price = formatPrice(props.openPrice, props.openPriceBefore)
  return `@${props.trader}'s ${props.symbol} was split ${splitWords(props)}: open price ${price}`
}

function facts(props: PositionAdjustedProps): [label: string, value: string][] {
  return [
    ['Stock', props.symbol],
    ['New shares for old', splitWords(props)],
    ['Open price before', formatPrice(props.openPriceBefore, props.openPrice)],
    ['Open price now', formatPrice(props.openPrice, props.openPriceBefore)],
    ...(props.percentageGain === null
      ? []
      : [['Profit, corrected', signedGain(props.percentageGain)] satisfies [string, string]]),
  ]
}

export function PositionAdjusted(props: PositionAdjustedProps) {
  return (
    <Layout title={adjustedSubject(props)} preview={EXPLAINED} footer={<PositionFooter {...props} />}>
      <Heading>{adjustedSubject(props)}</Heading>
      <Facts>
        {facts(props).map(([label, value]) => (
          <Fact key={label} label={label}>
            {value}
          </Fact>
        ))}
      </Facts>
      <Paragraph>{EXPLAINED}</Paragraph>
      <Button href={activityItemUrl(props)}>View in Activity</Button>
    </Layout>
  )
}

export function positionAdjustedText(props: PositionAdjustedProps): string {
  const rows = facts(props)
  const width = Math.max(...rows.map(([label]) => label.length)) + 2
  return `${adjustedSubject(props)}

${rows.map(([label, value]) => `${`${label}:`.padEnd(width)}${value}`).join('\n')}

${wrap(EXPLAINED)}

${positionLinkText(props)}

${positionFooterText(props)}`
}
