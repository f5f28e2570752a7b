import type { TraderDesk } from '@tradepost/contract/desk'
import { formatMoney, formatPriceOf } from '@tradepost/contract/money'
import { settings } from '../../lib/settings.ts'
import { DeskHeading } from './desk-heading.tsx'

const FIGURE = 'w-20 py-1.5 text-right font-medium'

/** Followers by what they pay, and what a month brings from now on. Nothing before the first who pays. */
export function DeskPrices({ ahead = [], prices = [] }: Pick<TraderDesk, 'prices' | 'ahead'>) {
  if (prices.length === 0) return null
  return (
    <div className="min-w-0 space-y-2">
      <DeskHeading>Followers by price</DeskHeading>
      <table className="w-full border-collapse text-sm tabular-nums">
        <caption className="sr-only">Followers by the price that they pay</caption>
        <thead>
          <tr className="border-b border-border text-muted-foreground">
            <th scope="col" className="py-1.5 text-left font-medium">
              Price
            </th>
            <th scope="col" className={FIGURE}>
              Followers
            </th>
            <th scope="col" className={FIGURE}>
              Ending
            </th>
          </tr>
        </thead>
        <tbody>
          {prices.map(({ currency, ending, followers, interval, priceCents }) => (
            <tr
              key={`${currency} ${interval} ${priceCents}`}
              className="border-b border-border last:border-0"
            >
              <th scope="row" translate="no" className="py-1.5 text-left font-normal whitespace-nowrap">
                {formatPriceOf(interval, priceCents, currency)}
              </th>
              <td className={FIGURE}>{followers}</td>
              <td className={ending === 0 ? `${FIGURE} text-muted-foreground` : FIGURE}>{ending}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <dl className="space-y-1">
        {ahead.map(({ cents, currency }) => (
          <div key={currency} className="flex flex-wrap items-baseline justify-between gap-x-4">
            <dt className="text-sm text-muted-foreground">A month, if nobody comes or leaves</dt>
            <dd translate="no" className="text-lg font-semibold tabular-nums">
              {formatMoney(cents, currency)}
            </dd>
          </div>
        ))}
      </dl>
      <p className="text-sm text-muted-foreground">
        {`After ${settings.taxLiable ? 'tax, the fee' : 'the fee'} and running discounts. A year’s price counts as a twelfth, and nobody who is ending counts.`}
      </p>
    </div>
  )
}
