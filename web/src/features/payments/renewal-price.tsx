import { formatMoney, formatPriceOf } from '@tradepost/contract/money'
import type { RunningDiscount, SubscriptionItem } from '@tradepost/contract/subscriptions'
import { formatDay } from '../../lib/format.ts'
import { serverNow } from '../../lib/server-time.ts'
import { TableCell, TableRow } from '../../ui/table.tsx'

/** A line breaks before `a month` and not in it. */
const BEFORE_INTERVAL = / (?=\w+$)/

type Priced = Pick<SubscriptionItem, 'priceCents' | 'currency' | 'interval' | 'discount'>

/** The amount of the next renewal; where the rows are stacks also how long a discount holds, for which a column is too narrow. */
export function RenewalPrice({ subscription }: { subscription: Priced }) {
  const { discount, priceCents } = subscription
  const price = priceOf(subscription, discount?.cents ?? priceCents).replace(BEFORE_INTERVAL, '\u00a0')
  if (!discount) return <span>{price}</span>
  return (
    <span>
      <span>{price}</span>
      <span className="lg:hidden">{` ${holds(discount, subscription.currency)}`}</span>
    </span>
  )
}

/** Below a subscription, where the rows are no stacks: what the next renewals cost, how long that holds, and the price behind it. */
export function DiscountRow({ columns, subscription }: { columns: number; subscription: Priced }) {
  return (
    <TableRow className="stacked:hidden">
      <TableCell colSpan={columns} className="px-0 pt-0 text-right text-xs/5 text-muted-foreground">
        {renewalWords(subscription)}
      </TableCell>
    </TableRow>
  )
}

/** The cost of the renewals in words: `$8 a month until Mar 3, then $12.50`, or the price alone. */
export function renewalWords(subscription: Priced): string {
  const { currency, discount, priceCents } = subscription
  if (!discount) return priceOf(subscription, priceCents)
  return `${priceOf(subscription, discount.cents)} ${holds(discount, currency)}`
}

/** A server of the version before names no interval, and knows a month alone. */
function priceOf({ currency, interval = 'month' }: Priced, cents: number): string {
  return formatPriceOf(interval, cents, currency)
}

function holds({ code, thenCents, until }: RunningDiscount, currency: string): string {
  const price = formatMoney(thenCents, currency).replace(/\.0+$/, '')
  if (until !== null) return `until ${formatDay(until, serverNow())}, then ${price}`
  return `${code === null ? 'with a discount' : `with ${code}`} · ${price} without`
}
