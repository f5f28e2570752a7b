import { type Correction, CorrectionFrame, correctionText } from './correction-frame.tsx'
import { activityItemUrl } from './links.ts'
import { PositionFooter, type PositionMailProps, positionFooterText } from './position-facts.tsx'

/** A share that trades under another ticker since, as it is mailed to the followers of a position in it. */
export type SymbolRenamedProps = Omit<PositionMailProps, 'notes' | 'openPrice' | 'symbol'> & {
  symbolBefore: string
  symbolAfter: string
}

const EXPLAINED =
  'The share has a new ticker. Nothing was bought or sold, and every price stays as it was: the position goes on under the new one.'

export function renamedSubject({ symbolAfter, symbolBefore, trader }: SymbolRenamedProps): string {
  return `@${trader}'s ${symbolBefore} is now traded as ${symbolAfter}`
}

function correctionOf(props: SymbolRenamedProps): Correction {
  return {
    subject: renamedSubject(props),
    rows: [
      ['Stock before', props.symbolBefore],
      ['Stock now', props.symbolAfter],
    ],
    explained: EXPLAINED,
    activityUrl: activityItemUrl(props),
  }
}

export function SymbolRenamed(props: SymbolRenamedProps) {
  return <CorrectionFrame {...correctionOf(props)} footer={<PositionFooter {...props} />} />
}

export function symbolRenamedText(props: SymbolRenamedProps): string {
  return correctionText(correctionOf(props), { footer: positionFooterText(props) })
}
