import { formatMoney, formatPriceOf } from '@tradepost/contract/money'
import type { RunningDiscount, SubscriptionItem } from '@tradepost/contract/subscriptions'
import { formatDay } from '../../lib/format.ts'
import { serverNow } from '../../lib/server-time.ts'

/** A line breaks before `a month` and not in it. */
const BEFORE_INTERVAL = / (?=\w+$)/

type RenewalPriceProps = {
  subscription: Pick<SubscriptionItem, 'priceCents' | 'currency' | 'interval' | 'discount'>
}

/** The amount of the next renewals: with a discount that, how long it holds, and the price behind it. */
export function RenewalPrice({ subscription }: RenewalPriceProps) {
  // A server of the version before names no interval, and knows a month alone.
  const { currency, discount, interval = 'month', priceCents } = subscription
  const price = (cents: number) => formatPriceOf(interval, cents, currency).replace(BEFORE_INTERVAL, '\u00a0')
  if (!discount) return <span>{price(priceCents)}</span>
  return (
    <>
      <span className="lg:block">{`${price(discount.cents)} ${holds(discount)} `}</span>
      <span className="text-muted-foreground lg:block">{behind(discount, currency)}</span>
    </>
  )
}

/** The same in one sentence's words, behind `then`. */
export function renewalWords({ subscription }: RenewalPriceProps): string {
  const { currency, discount, interval = 'month', priceCents } = subscription
  if (!discount) return formatPriceOf(interval, priceCents, currency)
  return `${formatPriceOf(interval, discount.cents, currency)} ${holds(discount)} ${behind(discount, currency)}`
}

function holds({ code, until }: RunningDiscount): string {
  if (until !== null) return `until ${formatDay(until, serverNow())},`
  return code === null ? 'with a discount' : `with ${code}`
}

function behind({ thenCents, until }: RunningDiscount, currency: string): string {
  const price = formatMoney(thenCents, currency).replace(/\.0+$/, '')
  return until === null ? `· ${price} without` : `then ${price}`
}
