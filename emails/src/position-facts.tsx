import { BRAND } from '@tradepost/contract/brand'
import { activityItemUrl, recordUrl, traderUrl, verifyUrl } from './links.ts'
import { Fact, QuietLink } from './parts.tsx'
import { RISK_TEXT, Risk } from './risk.tsx'

/** Facts that every mail about a position needs: its trader, its event, and the reader's links. */
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
  /** Mails the reader a way to leave without signing in (rule G-126). */
  leaveUrl?: string | undefined
  /** Proves that the event is in the public record, base64url; null while the record does not have it. */
  receipt: string | null
}

/** The company or fund of a mail about an open or a close, as people read its name; null where nobody has found it out. */
export type CompanyProps = { companyName: string | null }

/** The first of the facts: the heading has the ticker. */
export function CompanyFact({ name }: { name: string | null }) {
  return name !== null && <Fact label="Company">{name}</Fact>
}

/** The same as a line of text. @param width of the labels, in characters */
export function companyText({ companyName }: CompanyProps, width: number): string {
  return companyName === null ? '' : `${'Company:'.padEnd(width)}${companyName}\n`
}

type FooterProps = Pick<PositionMailProps, 'trader' | 'origin' | 'unsubscribeUrl' | 'leaveUrl'> &
  Partial<Pick<PositionMailProps, 'receipt'>>

const VERIFY = 'Verify this signal'
const LATE = 'Its receipt is late: the public record will have it.'

/** The end of such a mail: why the reader gets it, and how to unsubscribe (rule G-63). */
export function PositionFooter(props: FooterProps) {
  return (
    <>
      <Risk />
      <Receipt {...props} />
      You get this mail because you subscribe to{' '}
      <QuietLink href={traderUrl(props)}>@{props.trader}</QuietLink> on {BRAND}.{' '}
      <QuietLink href={props.unsubscribeUrl}>Unsubscribe from these mails</QuietLink>: your subscription goes
      on, and positions stay visible on your home page.
      <LeaveLink {...props} />
    </>
  )
}

export const LEAVE = 'Cancel or withdraw'

/** The way out of the subscription, behind the words of a footer. */
export function LeaveLink({ leaveUrl }: { leaveUrl?: string | undefined }) {
  if (leaveUrl === undefined) return null
  return (
    <>
      {' '}
      <QuietLink href={leaveUrl}>{LEAVE}</QuietLink>
    </>
  )
}

export function leaveText({ leaveUrl }: { leaveUrl?: string | undefined }): string {
  return leaveUrl === undefined ? '' : `${LEAVE}:\n${leaveUrl}\n`
}

/** The proof that the event is in the public record, in the fragment of a link; nothing in a mail about no event. */
function Receipt({ origin, receipt }: FooterProps) {
  if (receipt === undefined) return null
  const [url, words] = receipt === null ? [recordUrl(origin), LATE] : [verifyUrl(origin, receipt), VERIFY]
  return (
    <div style={{ paddingBottom: '8px' }}>
      <QuietLink href={url}>{words}</QuietLink>
    </div>
  )
}

function receiptText({ origin, receipt }: FooterProps): string {
  if (receipt === undefined) return ''
  return receipt === null
    ? `${LATE}\n${recordUrl(origin)}\n\n`
    : `${VERIFY}:\n${verifyUrl(origin, receipt)}\n\n`
}

export function positionFooterText(props: FooterProps): string {
  return `${RISK_TEXT}

${receiptText(props)}--
You get this mail because you subscribe to @${props.trader} on ${BRAND}.
@${props.trader}: ${traderUrl(props)}
Unsubscribe from these mails (your subscription goes on):
${props.unsubscribeUrl}
${leaveText(props)}`
}

/** The mail's button as a line of its plain text. */
export function positionLinkText(props: Pick<PositionMailProps, 'item' | 'origin'>): string {
  return `View in Activity: ${activityItemUrl(props)}`
}
