import { ENDING_SENTENCE, TRADER_STOPS_SENTENCE, WITHDRAWAL_SENTENCE } from '@tradepost/contract/consent'
import { formatMoney, formatPriceOf } from '@tradepost/contract/money'
import { webPaths } from '@tradepost/contract/web-paths'
import { EVIDENCE_TEXT_MAX, type EvidenceFields } from '../stripe/disputes.ts'
import { at, printable } from '../support/page-lines.ts'
import type { SignIn } from './evidence.queries.ts'
import type { DeliveredMail, Evidence } from './read-evidence.ts'

const DONE: Readonly<Record<string, string>> = { opened: 'opened', closed: 'closed', adjusted: 'adjusted' }

/** The evidence as Stripe takes it. Lists that would be too long end with how much is left out. @param origin of links, `https://host` */
export function evidenceFields(evidence: Evidence, origin: string): EvidenceFields {
  const { email, payment } = evidence
  return {
    access_activity_log: fit([...deliveryLines(evidence), '', ...signInLines(evidence)]),
    cancellation_policy_disclosure: fit(policyLines(evidence)),
    cancellation_rebuttal: fit([cancellationLine(evidence)]),
    customer_email_address: email,
    product_description: fit([productLine(evidence)]),
    refund_policy_disclosure: fit(policyLines(evidence)),
    service_date: dayOf(payment.periodStart ?? payment.startedAt),
    uncategorized_text: fit([...summaryLines(evidence), '', ...receiptLines(evidence, origin)]),
  }
}

/** The same as a page for the operator, whole: every receipt is in it. */
export function evidencePage(evidence: Evidence, origin: string): string {
  const { dispute, email } = evidence
  const due = dispute.dueAt ? `answer until ${at(dispute.dueAt)}` : 'no answer is waited for'
  return [
    `${dispute.id}: ${formatMoney(dispute.amountCents, dispute.currency)}, ${dispute.reason}, ${dispute.status}, ${due}`,
    `Payer: ${email}`,
    '',
    ...summaryLines(evidence),
    productLine(evidence),
    cancellationLine(evidence),
    ...policyLines(evidence),
    '',
    ...deliveryLines(evidence),
    '',
    ...signInLines(evidence),
    '',
    ...receiptLines(evidence, origin),
  ].join('\n')
}

function productLine({ payment, trader }: Evidence): string {
  const { currency, interval, priceCents } = payment
  return `A subscription to the trader @${trader}, ${formatPriceOf(interval, priceCents, currency)}: a mail at once whenever they open or close a stock position, and all of their positions on the site while it runs.`
}

function summaryLines({ dispute, mails, payment }: Evidence): string[] {
  const { currency, paidAt, paidCents, periodEnd, periodStart, refundedCents, startedAt } = payment
  const period = periodStart && periodEnd ? ` for ${at(periodStart)} to ${at(periodEnd)}` : ''
  const paid = `${formatMoney(paidCents, currency)} was paid${paidAt ? ` on ${at(paidAt)}` : ''}${period}.`
  const inPeriod = mails.filter(({ from }) => periodStart !== null && from >= periodStart)
  return [
    `The subscription began on ${at(startedAt)}.`,
    paid,
    `${mails.length} mails about positions were delivered to the subscriber before the dispute of ${at(dispute.createdAt)}, ${inPeriod.length} of them in the time that this payment was for.`,
    refundedCents > 0
      ? `${formatMoney(refundedCents, currency)} of it was returned.`
      : 'Nothing of it was returned.',
  ]
}

/** The facts alone: nothing is claimed of a subscription that was canceled before it renewed. */
function cancellationLine({ canceledAt, payment }: Evidence): string {
  const { endedAt, endReason, paidAt } = payment
  if (endReason === 'withdrawn' && endedAt) return `The subscriber withdrew on ${at(endedAt)}.`
  if (canceledAt === null)
    return endReason === 'left' && endedAt
      ? `The subscriber canceled on ${at(endedAt)}.`
      : 'The subscriber had not canceled before the dispute.'
  const canceled = `The subscriber canceled on ${at(canceledAt)}`
  if (paidAt === null) return `${canceled}.`
  return paidAt > canceledAt
    ? `${canceled}; this payment is of ${at(paidAt)}, after they had let the subscription go on.`
    : `${canceled}; this payment is of ${at(paidAt)}, before that.`
}

function policyLines({ consent }: Evidence): string[] {
  return [
    `The rule on ending a subscription: "${ENDING_SENTENCE}"`,
    `The rule on withdrawing: "${WITHDRAWAL_SENTENCE}"`,
    `The rule where the trader stops: "${TRADER_STOPS_SENTENCE}"`,
    consent
      ? `Agreed to on the payment page on ${at(consent.acceptedAt)} by ticking a box, terms of version ${consent.termsVersion}: "${consent.sentence}"`
      : 'No consent is stored of this subscription.',
  ]
}

function deliveryLines({ mails, startedMailAt }: Evidence): string[] {
  const started = startedMailAt
    ? [
        `The mail with the positions that were open when the subscription began was taken at ${at(startedMailAt)}.`,
      ]
    : []
  if (mails.length === 0)
    return [...started, 'No mail about an open or a close was delivered before the dispute.']
  return [
    ...started,
    "Mails about positions that the subscriber's mail server took, the newest first:",
    ...mails.map(mailLine),
  ]
}

function mailLine({ at: published, from, kind, symbol, until }: DeliveredMail): string {
  const taken = from.getTime() === until.getTime() ? `at ${at(from)}` : `from ${at(from)} to ${at(until)}`
  return `${at(published)} ${DONE[kind] ?? kind} ${symbol}, mail taken ${taken}`
}

function signInLines({ signIns }: Evidence): string[] {
  if (signIns.length === 0) return ['No sign-in is stored of the time of the subscription.']
  return ['Sign-ins with a code that was sent to this address, the newest first:', ...signIns.map(signInLine)]
}

function signInLine({ at: when, ip, userAgent }: SignIn): string {
  return [at(when), ip ?? 'no address', printable(userAgent ?? 'no name of the browser')].join(', ')
}

function receiptLines({ mails }: Evidence, origin: string): string[] {
  const links = mails.flatMap(({ receipt }) => (receipt ? [`${origin}${webPaths.verify}#${receipt}`] : []))
  if (links.length === 0) return ['No receipt of the public record is there.']
  return [
    'Receipts of these events in the public record, the newest first. Each link proves, also without a network, what was published and when it was logged before the mail went out:',
    ...links,
  ]
}

/** Whole lines, as many as a field takes, and how many were left out. */
function fit(lines: readonly string[]): string {
  const room = EVIDENCE_TEXT_MAX - 40
  const kept: string[] = []
  let length = 0
  for (const line of lines) {
    length += line.length + 1
    if (length > room) return [...kept, `… and ${lines.length - kept.length} more.`].join('\n')
    kept.push(line)
  }
  return kept.join('\n')
}

const dayOf = (instant: Date) => instant.toISOString().slice(0, 10)
