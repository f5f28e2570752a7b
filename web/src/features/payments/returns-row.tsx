import { formatMoney } from '@tradepost/contract/money'
import type { PaymentReturn, SubscriptionItem } from '@tradepost/contract/subscriptions'
import { formatDate, localFormat } from '../../lib/format.ts'
import { TableCell, TableRow } from '../../ui/table.tsx'

type Returned = Pick<SubscriptionItem, 'currency' | 'disputes' | 'returns' | 'withdrawnAt'>

/** Below a subscription: what a bank has of it (rule G-55), the money that comes back, why, and how far it is (G-126, G-127). Nothing without. */
export function ReturnsRow({ columns, subscription }: { columns: number; subscription: Returned }) {
  const sentences = [...disputeSentences(subscription), ...returnSentences(subscription)]
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

function disputeSentences({ currency, disputes = [] }: Returned): string[] {
  return disputes.map(({ decided, disputedAt, paidCents }) => {
    const [payment, day] = [formatMoney(paidCents, currency), formatDate(disputedAt)]
    if (decided === null)
      return `Your bank disputes a payment of ${payment} since ${day}: the subscription has ended. It has the money back until it decides.`
    return `Your bank disputed a payment of ${payment} on ${day}, and the subscription has ended. ${decisionText(decided)}`
  })
}

/** A decision that only a newer version knows is not told. */
function decisionText(decided: string): string {
  if (decided === 'payer') return 'It has decided for you: the money stays with you.'
  return decided === 'payment' ? 'It has decided that the payment was right.' : 'It has decided.'
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
