import { useQuery } from '@tanstack/react-query'
import { PAYMENTS_LISTED, type PaidInvoice } from '@tradepost/contract/invoices'
import { formatMoney } from '@tradepost/contract/money'
import { useId, useState } from 'react'
import { messageOf } from '../../lib/api-refusal.ts'
import { formatDate } from '../../lib/format.ts'
import { Alert, AlertDescription } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { RefreshFailure } from '../../ui/refresh-failure.tsx'
import { DeskHeading } from './desk-heading.tsx'
import { invoicesQuery, openInvoice } from './invoices.api.ts'
import { useNewTab } from './use-new-tab.ts'

/** So many are shown before somebody asks for all. */
const SHOWN = 3

/** The viewer's payments with their tax, what came back of each, and the way to its invoice at Stripe. Nothing before the first. */
export function OwnPayments() {
  const { data, error, isError, refetch } = useQuery(invoicesQuery)
  const [showsAll, setShowsAll] = useState(false)
  const [opened, setOpened] = useState<string | null>(null)
  const tab = useNewTab()
  if (data === undefined)
    return isError && <RefreshFailure message={messageOf(error)} onRetry={() => void refetch()} />
  const { invoices, more } = data
  if (invoices.length === 0) return null
  const shown = showsAll ? invoices : invoices.slice(0, SHOWN)
  return (
    <section aria-label="What you paid" className="space-y-2">
      <DeskHeading>What you paid</DeskHeading>
      {tab.error !== null && (
        <Alert variant="destructive">
          <AlertDescription>{tab.error}</AlertDescription>
        </Alert>
      )}
      <ul>
        {shown.map((invoice) => (
          <Payment
            key={invoice.id}
            invoice={invoice}
            opening={tab.opening && opened === invoice.id}
            onOpen={() => {
              setOpened(invoice.id)
              tab.open(() => openInvoice(invoice.id))
            }}
          />
        ))}
      </ul>
      {invoices.length > SHOWN && !showsAll && (
        <Button variant="outline" size="sm" onClick={() => setShowsAll(true)}>
          {more ? `Show the last ${PAYMENTS_LISTED}` : `Show all ${invoices.length}`}
        </Button>
      )}
      {showsAll && more && (
        <p className="text-sm text-muted-foreground">Older payments are under Manage billing.</p>
      )}
    </section>
  )
}

type PaymentProps = { invoice: PaidInvoice; opening: boolean; onOpen: () => void }

function Payment({ invoice, onOpen, opening }: PaymentProps) {
  const { amountCents, currency, paidAt, refundedCents, taxCents, trader } = invoice
  const about = useId()
  const notes = [
    ...(taxCents > 0 ? [`${formatMoney(taxCents, currency)} of it is tax`] : []),
    ...(refundedCents > 0 ? [cameBack(invoice)] : []),
  ]
  return (
    <li className="flex items-center justify-between gap-x-4 border-b border-border py-2 text-sm last:border-0">
      <div id={about} className="min-w-0">
        <p className="flex flex-wrap gap-x-3">
          <span className="whitespace-nowrap">{formatDate(paidAt)}</span>
          {trader === '' ? (
            <span className="text-muted-foreground">a trader who has left</span>
          ) : (
            <span translate="no" className="min-w-0 truncate">{`@${trader}`}</span>
          )}
          <span translate="no" className="font-medium tabular-nums">
            {formatMoney(amountCents, currency)}
          </span>
        </p>
        {notes.map((note) => (
          <p key={note} className="text-muted-foreground tabular-nums">
            {note}
          </p>
        ))}
      </div>
      <Button
        variant="outline"
        size="sm"
        title="Opens in a new tab"
        aria-describedby={about}
        loading={opening}
        onClick={onOpen}
      >
        Invoice
      </Button>
    </li>
  )
}

function cameBack({ amountCents, currency, refundedCents }: PaidInvoice): string {
  return refundedCents >= amountCents
    ? 'All of it came back'
    : `${formatMoney(refundedCents, currency)} came back`
}
