import { BRAND } from '@tradepost/contract/brand'
import { activityItemUrl, traderUrl } from './links.ts'
import { QuietLink } from './parts.tsx'

/** The sender and the reader of a mail about a position, as every such mail needs them. */
export type PositionMailProps = {
  /** Username of the trader, without the @. */
  trader: string
  symbol: string
  /** Decimal text, as stored. */
  openPrice: string
  /** When the trader published the event; ISO 8601. */
  publishedAt: string
  notes: string
  /** The name of the item in the reader's Activity: the trader's name and the event's number. */
  item: string
  /** Public address of the product, without a slash at the end. */
  origin: string
  unsubscribeUrl: string
}

type FooterProps = Pick<PositionMailProps, 'trader' | 'origin' | 'unsubscribeUrl'>

/** Why one gets it, and the way out (rule G-63). */
export function PositionFooter(props: FooterProps) {
  return (
    <>
      You get this mail because you subscribe to{' '}
      <QuietLink href={traderUrl(props)}>@{props.trader}</QuietLink> on {BRAND}.{' '}
      <QuietLink href={props.unsubscribeUrl}>Unsubscribe from these mails</QuietLink>: your subscription goes
      on, and positions stay visible on your home page.
    </>
  )
}

export function positionFooterText(props: FooterProps): string {
  return `--
You get this mail because you subscribe to @${props.trader} on ${BRAND}.
@${props.trader}: ${traderUrl(props)}
Unsubscribe from these mails (your subscription goes on):
${props.unsubscribeUrl}
`
}

/** Where the button leads, with its words. */
export function positionLinkText(props: Pick<PositionMailProps, 'item' | 'origin'>): string {
  return `View in Activity: ${activityItemUrl(props)}`
}
