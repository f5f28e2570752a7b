import { type Correction, CorrectionFrame, correctionText } from './correction-frame.tsx'
import { activityItemUrl } from './links.ts'
import { PositionFooter, type PositionMailProps, positionFooterText } from './position-facts.tsx'

/** A position that counts nowhere any more, as it is mailed to its followers. */
export type PositionStruckProps = Omit<PositionMailProps, 'notes' | 'openPrice'> & { reason: string }

const EXPLAINED =
  'From now on it counts nowhere: in no figure of the trader, no curve and no ranking. Lists keep it, marked as struck.'

export function struckSubject({ symbol, trader }: PositionStruckProps): string {
  return `@${trader}'s position in ${symbol} was struck`
}

function correctionOf(props: PositionStruckProps): Correction {
  return {
    subject: struckSubject(props),
    rows: [
      ['Stock', props.symbol],
      ['Reason', props.reason],
    ],
    explained: EXPLAINED,
    activityUrl: activityItemUrl(props),
  }
}

export function PositionStruck(props: PositionStruckProps) {
  return <CorrectionFrame {...correctionOf(props)} footer={<PositionFooter {...props} />} />
}

export function positionStruckText(props: PositionStruckProps): string {
  return correctionText(correctionOf(props), { footer: positionFooterText(props) })
}
