import type { TakenOff, TraderDesk } from '@tradepost/contract/desk'
import { formatMoney } from '@tradepost/contract/money'
import { asWritten } from '@tradepost/contract/shown-as-written'
import { formatDate } from '../../lib/format.ts'
import { DeskHeading } from './desk-heading.tsx'

const FIGURE = 'py-1.5 pl-3 text-right whitespace-nowrap'

/** Payments of the last twelve months of which something went back or was disputed, without names (rule G-98). Nothing without one. */
export function DeskTakenOff({ takenOff = [] }: Pick<TraderDesk, 'takenOff'>) {
  if (takenOff.length === 0) return null
  return (
    <div className="min-w-0 space-y-2">
      <DeskHeading>Returned and disputed</DeskHeading>
      <table className="w-full border-collapse text-sm tabular-nums">
        <caption className="sr-only">Payments that were returned or disputed</caption>
        <thead>
          <tr className="border-b border-border text-muted-foreground">
            <th scope="col" className="py-1.5 text-left font-medium">
              Date
            </th>
            <th scope="col" className="py-1.5 pl-3 text-left font-medium">
              Why
            </th>
            <th scope="col" className={`${FIGURE} font-medium`}>
              Payment
            </th>
            <th scope="col" className={`${FIGURE} font-medium`}>
              Your part
            </th>
          </tr>
        </thead>
        <tbody>
          {takenOff.map((one, nth) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two payments can be alike, and a row has no state.
            <Payment key={nth} {...one} />
          ))}
        </tbody>
        <tfoot>
          {sumsOf(takenOff).map(({ cents, currency }) => (
            <tr key={currency}>
              <th scope="row" colSpan={3} className="py-1.5 text-left font-normal text-muted-foreground">
                In all
              </th>
              <td translate="no" className={`${FIGURE} font-medium`}>
                {formatMoney(-cents, currency)}
              </td>
            </tr>
          ))}
        </tfoot>
      </table>
      <p className="text-sm text-muted-foreground">
        Of the last twelve months. Your part of what went back is taken off income. It is without the
        platform’s fee, which goes back too.
      </p>
    </div>
  )
}

/** A sum for each currency. */
function sumsOf(takenOff: readonly TakenOff[]): { currency: string; cents: number }[] {
  return [...Map.groupBy(takenOff, ({ currency }) => currency)].map(([currency, rows]) => ({
    currency,
    cents: rows.reduce((sum, { shareCents }) => sum + shareCents, 0),
  }))
}

function Payment({ at, currency, paidCents, shareCents, why }: TakenOff) {
  return (
    <tr className="border-b border-border last:border-0">
      <th scope="row" className="py-1.5 text-left align-top font-normal whitespace-nowrap">
        {formatDate(at)}
      </th>
      <td className="py-1.5 pl-3 align-top">{reasonText(why)}</td>
      <td translate="no" className={`${FIGURE} align-top`}>
        {formatMoney(paidCents, currency)}
      </td>
      <td translate="no" className={`${FIGURE} align-top font-medium`}>
        {formatMoney(-shareCents, currency)}
      </td>
    </tr>
  )
}

function reasonText(why: TakenOff['why']): string {
  switch (why) {
    case 'withdrawn':
      return 'Withdrawn'
    case 'warned':
      return 'Card network warned'
    case 'empty_month':
      return 'Empty month'
    case 'disputed':
      return 'Disputed, open'
    case 'dispute_won':
      return 'Dispute won'
    case 'dispute_lost':
      return 'Dispute lost'
    case 'returned':
      return 'Returned'
    default:
      return asWritten(why)
  }
}
