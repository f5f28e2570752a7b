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

/** A price that was set right after it was published, as the followers of the position are told of it. */
export type PriceCorrectedProps = Omit<PositionMailProps, 'notes' | 'openPrice'> & {
  /** Which price of the position. */
  end: 'open' | 'close'
  /** Decimal texts, as stored. */
  priceBefore: string
  price: string
  reason: string
  /** Gain in percent, decimal text with all its places; null while the position is open or its close is unsettled. */
  percentageGain: string | null
}

const EXPLAINED = 'Nothing was bought or sold. The price on the record was wrong, and we set it right.'

export function correctedSubject({ end, price, priceBefore, symbol, trader }: PriceCorrectedProps): string {
  return `@${trader}'s ${symbol}, corrected: ${end} price ${formatPrice(price, priceBefore)}`
}

function facts(props: PriceCorrectedProps): [label: string, value: string][] {
  const name = props.end === 'open' ? 'Open price' : 'Close price'
  return [
    ['Stock', props.symbol],
    [`${name} before`, formatPrice(props.priceBefore, props.price)],
    [`${name} now`, formatPrice(props.price, props.priceBefore)],
    ...(props.percentageGain === null
      ? []
      : [['Profit, corrected', signedGain(props.percentageGain)] satisfies [string, string]]),
    ['Reason', props.reason],
  ]
}

export function PriceCorrected(props: PriceCorrectedProps) {
  return (
    <Layout title={correctedSubject(props)} preview={EXPLAINED} footer={<PositionFooter {...props} />}>
      <Heading>{correctedSubject(props)}</Heading>
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

export function priceCorrectedText(props: PriceCorrectedProps): string {
  const rows = facts(props)
  const width = Math.max(...rows.map(([label]) => label.length)) + 2
  return `${correctedSubject(props)}

${rows.map(([label, value]) => `${`${label}:`.padEnd(width)}${value}`).join('\n')}

${wrap(EXPLAINED)}

${positionLinkText(props)}

${positionFooterText(props)}`
}
