import { formatPrice } from '@tradepost/contract/gain'
import { HOLD_LENGTH_LABELS, type HoldLength } from '@tradepost/contract/hold-length'
import { openedSubject } from '@tradepost/contract/position-mail'
import { formatMarketTime } from './instants.ts'
import { Layout } from './layout.tsx'
import { activityItemUrl } from './links.ts'
import { Button, Fact, Facts, Heading, Notes } from './parts.tsx'
import {
  CompanyFact,
  type CompanyProps,
  companyText,
  PositionFooter,
  type PositionMailProps,
  positionFooterText,
  positionLinkText,
} from './position-facts.tsx'
import { firstWords } from './wrap.ts'

export type PositionOpenedProps = PositionMailProps & CompanyProps & { holdLength: HoldLength }

export function PositionOpened(props: PositionOpenedProps) {
  const hold = HOLD_LENGTH_LABELS[props.holdLength]
  return (
    <Layout
      title={openedSubject(props)}
      preview={`Planned hold: ${hold}. ${firstWords(props.notes)}`}
      footer={<PositionFooter {...props} />}
    >
      <Heading>{openedSubject(props)}</Heading>
      <Facts>
        <CompanyFact name={props.companyName} />
        <Fact label="Planned hold">{hold}</Fact>
        <Fact label="Open price">{formatPrice(props.openPrice)}</Fact>
        <Fact label="Published">{formatMarketTime(props.publishedAt)}</Fact>
      </Facts>
      <Notes>{props.notes}</Notes>
      <Button href={activityItemUrl(props)}>View in Activity</Button>
    </Layout>
  )
}

export function positionOpenedText(props: PositionOpenedProps): string {
  return `${openedSubject(props)}

${companyText(props, 14)}Planned hold: ${HOLD_LENGTH_LABELS[props.holdLength]}
Open price:   ${formatPrice(props.openPrice)}
Published:    ${formatMarketTime(props.publishedAt)}

${props.notes}

${positionLinkText(props)}

${positionFooterText(props)}`
}
