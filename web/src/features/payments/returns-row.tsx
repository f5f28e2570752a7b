import { formatMoney } from '@tradepost/contract/money'
import type { PaymentReturn, SubscriptionItem } from '@tradepost/contract/subscriptions'
import { formatDate, localFormat } from '../../lib/format.ts'
import { TableCell, TableRow } from '../../ui/table.tsx'

type Returned = Pick<SubscriptionItem, 'currency' | 'returns' | 'withdrawnAt'>

/** Below a subscription: the money of it that comes back, why, and how far it is (rules G-126 and G-127). Nothing where none does. */
export function ReturnsRow({ columns, subscription }: { columns: number; subscription: Returned }) {
  const sentences = returnSentences(subscription)
  if (sentences.length === 0) return null
  return (
    <TableRow>
      <TableCell colSpan={columns} className="px-0 pt-2 stacked:py-0 stacked:pb-2 stacked:before:hidden">
        <ul className="w-full space-y-1 rounded-md bg-muted px-3 py-2 text-left text-sm">
          {sentences.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      </TableCell>
    </TableRow>
  )
}

function returnSentences({ currency, returns = [], withdrawnAt }: Returned): string[] {
  const sentences = returns.map((one) => `${nameOf(one, currency)} ${stateOf(one)}`)
  const hasOwn = returns.some(({ why }) => why === 'withdrawn')
  return withdrawnAt && !hasOwn
    ? ['You withdrew, and nothing comes back: all that you paid had gone back before.', ...sentences]
    : sentences
}

function nameOf({ cents, monthFrom, why }: PaymentReturn, currency: string): string {
  const amount = cents === null ? null : formatMoney(cents, currency)
  if (why === 'withdrawn') return `You withdrew, and ${amount ?? 'your money'}`
  if (monthFrom === null) return amount ?? 'Some of your money'
  const month = dayFormat(new Date(monthFrom))
  return `Nothing reached you in the month from ${month} (UTC) on, and ${amount ?? 'what you paid for it'}`
}

/** Months are days of UTC. */
const dayFormat = localFormat({ dateStyle: 'medium', timeZone: 'UTC' })

function stateOf({ returnedAt }: PaymentReturn): string {
  return returnedAt === null
    ? 'is on its way back to the card that paid.'
    : `went back on ${formatDate(returnedAt)}, to the card that paid. Banks take up to ten days to show it.`
}
