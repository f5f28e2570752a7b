import { formatMoney, formatPriceOf } from '@tradepost/contract/money'
import { at, line, printable } from './page-lines.ts'
import type { PaidSubscription, PaymentSum, PersonRow, PositionCounts } from './person.queries.ts'

type Money = {
  positions: PositionCounts
  followers: { status: string; count: number }[]
  paid: PaidSubscription[]
  isMore: boolean
  made: PaymentSum[]
  received: PaymentSum[]
  debts: { kind: string; count: number }[]
}

/** The positions, followers and subscriptions of somebody, and the money of both sides. `isMore`: not all subscriptions are given. */
export function describeMoney(person: PersonRow, of: Money): string[] {
  const { closed, lastAt, open, struck } = of.positions
  return [
    line(
      'Positions',
      `${open} open`,
      `${closed} closed`,
      `${struck} struck`,
      lastAt && `last act ${at(lastAt)}`,
    ),
    line(
      'Followers',
      ...countsOr(
        'none',
        of.followers.map(({ count, status }) => `${count} ${status}`),
      ),
    ),
    line('Customer', person.customerId ?? 'no'),
    line(
      'Payouts',
      person.payoutState ?? 'not begun',
      person.payoutAccountId,
      person.payoutReason,
      person.payoutLostAt && `lost ${at(person.payoutLostAt)}`,
    ),
    line('Has paid', ...countsOr('nothing', of.made.map(sumOf))),
    line('Was paid', ...countsOr('nothing', of.received.map(sumOf))),
    line(
      'Owed at Stripe',
      ...countsOr(
        'nothing',
        of.debts.map(({ count, kind }) => `${count} ${kind}`),
      ),
    ),
    line(
      'Follows',
      of.paid.length === 0 ? 'nobody, ever' : `${of.paid.length}${of.isMore ? ', and more' : ''}`,
    ),
    ...of.paid.map(subscriptionLine),
  ]
}

function countsOr(nothing: string, facts: string[]): string[] {
  return facts.length > 0 ? facts : [nothing]
}

function sumOf({ currency, disputed, paidCents, payments, refundedCents }: PaymentSum): string {
  const returned = refundedCents > 0 ? `, ${formatMoney(refundedCents, currency)} returned` : ''
  const fought = disputed > 0 ? `, ${disputed} disputed` : ''
  return `${formatMoney(paidCents, currency)} in ${payments}${returned}${fought}`
}

function subscriptionLine(one: PaidSubscription): string {
  const facts = [
    `  @${printable(one.username ?? '?')}`,
    one.status,
    `since ${at(one.startedAt)}`,
    one.endsAt && `until ${at(one.endsAt)}`,
    one.pausedSince && `not charged since ${at(one.pausedSince)}`,
    formatPriceOf(one.interval, one.priceCents, one.currency),
    one.renewalCents !== null && `next ${formatMoney(one.renewalCents, one.currency)}`,
    one.mutedAt ? 'mails off' : 'mails on',
    one.stripeId,
  ]
  return facts.filter((fact) => fact !== null && fact !== false).join(', ')
}
