import { discountText } from '@tradepost/contract/discount-code'
import { formatMoney } from '@tradepost/contract/money'
import { Button } from '../../ui/button.tsx'
import type { AskedDiscount } from './use-discount.ts'

/** As high as most answers are, so that the button below does not move with them. */
const PLACE = 'min-h-19 sm:min-h-14'
const BOX = 'rounded-lg bg-muted px-3 py-2 text-sm tabular-nums'

/** The discount of a code that came with the address, said before one pays. */
export function DiscountLine({
  code,
  failure,
  found,
  isForMonth,
  onRetry,
}: AskedDiscount & { isForMonth: boolean }) {
  if (failure !== null)
    return (
      <div className={`${PLACE} flex flex-wrap content-start items-center gap-x-3 text-sm`}>
        <p role="status">
          <span translate="no" className="font-medium">
            {code}
          </span>
          <span>{`: ${failure}`}</span>
        </p>
        {onRetry && (
          <Button variant="link" size="sm" className="min-w-0 px-0" onClick={onRetry}>
            Try again
          </Button>
        )}
      </div>
    )
  if (found === undefined)
    return (
      <p role="status" className={`${PLACE} ${BOX}`}>
        <span translate="no" className="font-medium">
          {code}
        </span>
        <span>: …</span>
      </p>
    )
  const { currency, discountedCents, months, priceCents } = found
  const money = (cents: number) => formatMoney(cents, currency)
  const then = months === null ? '' : ` Then ${money(priceCents)} a month.`
  return (
    <p role="status" className={`${PLACE} ${BOX}`}>
      <span translate="no" className="font-medium">
        {found.code}
      </span>
      <span>
        {isForMonth
          ? `: ${discountText(found, currency)}. You pay ${money(discountedCents)} ${lasting(months)}.${then}`
          : ' takes something off a month’s price, not off a year’s.'}
      </span>
    </p>
  )
}

function lasting(months: number | null): string {
  if (months === null) return 'each month'
  return months === 1 ? 'for the first month' : `a month for the first ${months} months`
}
