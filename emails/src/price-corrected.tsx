import { formatPrice } from '@tradepost/contract/gain'
import { signedGain } from '@tradepost/contract/position-mail'
import { type Correction, CorrectionFrame, correctionText, type Row } from './correction-frame.tsx'
import { activityItemUrl } from './links.ts'
import { PositionFooter, type PositionMailProps, positionFooterText } from './position-facts.tsx'

/** A price that was set right after it was published, as it is mailed to the followers of the position. */
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

function rowsOf(props: PriceCorrectedProps): Row[] {
  const name = props.end === 'open' ? 'Open price' : 'Close price'
  return [
    ['Stock', props.symbol],
    [`${name} before`, formatPrice(props.priceBefore, props.price)],
    [`${name} now`, formatPrice(props.price, props.priceBefore)],
    ...(props.percentageGain === null
      ? []
      : [['Profit, corrected', signedGain(props.percentageGain)] satisfies Row]),
    ['Reason', props.reason],
  ]
}

function correctionOf(props: PriceCorrectedProps): Correction {
  return {
    subject: correctedSubject(props),
    rows: rowsOf(props),
    explained: EXPLAINED,
    activityUrl: activityItemUrl(props),
  }
}

export function PriceCorrected(props: PriceCorrectedProps) {
  return <CorrectionFrame {...correctionOf(props)} footer={<PositionFooter {...props} />} />
}

export function priceCorrectedText(props: PriceCorrectedProps): string {
  return correctionText(correctionOf(props), { footer: positionFooterText(props) })
}
