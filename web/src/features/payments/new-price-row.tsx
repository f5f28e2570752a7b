import { formatPriceOf } from '@tradepost/contract/money'
import type { NewPrice, SubscriptionItem } from '@tradepost/contract/subscriptions'
import { withTaxWords } from '@tradepost/contract/tax-words'
import { useId } from 'react'
import { formatDate } from '../../lib/format.ts'
import { settings } from '../../lib/settings.ts'
import { Button } from '../../ui/button.tsx'
import { TableCell, TableRow } from '../../ui/table.tsx'
import { useAgreement } from './agreement.api.ts'

type NewPriceRowProps = {
  subscription: SubscriptionItem & { newPrice: NewPrice }
  /** How many columns the table has. */
  columns: number
}

/** Below a subscription: the higher price that its trader proposes, and one press that agrees to it or takes that back (rule G-122). */
export function NewPriceRow({ columns, subscription }: NewPriceRowProps) {
  const { currency, interval = 'month', newPrice } = subscription
  const { agreed, priceCents } = newPrice
  const { isPending, mutate } = useAgreement(subscription)
  const words = useId()
  const price = withTaxWords(formatPriceOf(interval, priceCents, currency), settings.taxLiable)
  return (
    <TableRow>
      <TableCell colSpan={columns} className="px-0 pt-2 stacked:py-0 stacked:pb-2 stacked:before:hidden">
        <div className="flex w-full flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-md bg-muted px-3 py-2 text-left text-sm">
          <p id={words} className="min-w-0 flex-1 basis-60">
            {sentence(subscription, price)}
          </p>
          <Button
            variant="outline"
            size="sm"
            aria-describedby={words}
            loading={isPending}
            onClick={() => mutate(agreed ? null : priceCents)}
          >
            {agreed ? 'Take back' : `Agree to ${price}`}
          </Button>
        </div>
      </TableCell>
    </TableRow>
  )
}

function sentence(
  { currency, interval = 'month', newPrice, priceCents, username }: NewPriceRowProps['subscription'],
  price: string,
): string {
  const from = formatDate(newPrice.from)
  if (newPrice.agreed)
    return `You have agreed to ${price}, from the renewal of ${from} on. Until then you can take that back.`
  const kept = formatPriceOf(interval, priceCents, currency)
  return `@${username} asks ${price}. Without your answer you keep ${kept}. If you agree, the first renewal that has it is that of ${from}.`
}
