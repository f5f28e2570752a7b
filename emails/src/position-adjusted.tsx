import { formatPrice } from '@tradepost/contract/gain'
import { signedGain } from '@tradepost/contract/position-mail'
import { type Correction, CorrectionFrame, correctionText, type Row } from './correction-frame.tsx'
import { activityItemUrl } from './links.ts'
import { PositionFooter, type PositionMailProps, positionFooterText } from './position-facts.tsx'

/** A split, as it is mailed to the followers of a position in the stock. */
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

function rowsOf(props: PositionAdjustedProps): Row[] {
  return [
    ['Stock', props.symbol],
    ['New shares for old', splitWords(props)],
    ['Open price before', formatPrice(props.openPriceBefore, props.openPrice)],
    ['Open price now', formatPrice(props.openPrice, props.openPriceBefore)],
    ...(props.percentageGain === null
      ? []
      : [['Profit, corrected', signedGain(props.percentageGain)] satisfies Row]),
  ]
}

function correctionOf(props: PositionAdjustedProps): Correction {
  return {
    subject: adjustedSubject(props),
    rows: rowsOf(props),
    explained: EXPLAINED,
    activityUrl: activityItemUrl(props),
  }
}

export function PositionAdjusted(props: PositionAdjustedProps) {
  return <CorrectionFrame {...correctionOf(props)} footer={<PositionFooter {...props} />} />
}

export function positionAdjustedText(props: PositionAdjustedProps): string {
  return correctionText(correctionOf(props), { footer: positionFooterText(props) })
}
