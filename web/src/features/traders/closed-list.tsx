import { useInfiniteQuery } from '@tanstack/react-query'
import type { ClosedOfTrader, ClosedSort, SortOrder } from '@tradepost/contract/closed-positions'
import { formatPrice } from '@tradepost/contract/gain'
import { normaliseSymbol } from '@tradepost/contract/symbol'
import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { messageOf } from '../../lib/api-refusal.ts'
import { formatClock, formatDate, formatExactTime } from '../../lib/format.ts'
import { holdLengthLabel } from '../../lib/hold-length-label.ts'
import { PositionHistory } from '../../lib/position-history.tsx'
import { Button } from '../../ui/button.tsx'
import { CompanyName } from '../../ui/company-name.tsx'
import { Dialog, DialogContent, DialogHeader, DialogTitle } from '../../ui/dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorPanel } from '../../ui/error-panel.tsx'
import { Gain } from '../../ui/gain.tsx'
import { Input } from '../../ui/input.tsx'
import { Label } from '../../ui/label.tsx'
import { NextPage } from '../../ui/next-page.tsx'
import { Notes } from '../../ui/notes.tsx'
import { RefreshFailure } from '../../ui/refresh-failure.tsx'
import { Select } from '../../ui/select.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { StruckNotice } from '../../ui/struck-notice.tsx'
import { UnsettledNote } from '../../ui/unsettled.tsx'
import { ClosedTable } from './closed-table.tsx'
import { closedPositionsQuery } from './traders.api.ts'

/** The orders of the list, as the select names them. */
const ORDERS = {
  'closed desc': 'Newest first',
  'closed asc': 'Oldest first',
  'gain desc': 'Largest gain first',
  'gain asc': 'Largest loss first',
  'held desc': 'Longest held first',
  'held asc': 'Shortest held first',
} as const satisfies Record<`${ClosedSort} ${SortOrder}`, string>

type Order = keyof typeof ORDERS

/** Every closed position of a trader, a page at a time; a row opens its dialog. */
export function ClosedList({ username }: { username: string }) {
  const id = useId()
  const heading = useRef<HTMLHeadingElement>(null)
  const [order, setOrder] = useState<Order>('closed desc')
  const [symbol, setSymbol] = useState('')
  const [chosen, setChosen] = useState<ClosedOfTrader | null>(null)
  // The button that led here is gone.
  useEffect(() => heading.current?.focus(), [])
  return (
    <section aria-labelledby={id} className="space-y-3">
      <h2 id={id} ref={heading} tabIndex={-1} className="text-lg font-semibold tracking-tight outline-none">
        All closed positions
      </h2>
      <div className="flex flex-wrap items-end gap-4">
        <OrderSelect order={order} onChoose={setOrder} />
        <TickerFilter onFilter={setSymbol} />
      </div>
      <ClosedPages
        username={username}
        order={order}
        symbol={symbol}
        none={`No closed position in ${symbol}.`}
        caption="All closed positions"
        onChoose={setChosen}
      />
      {chosen && (
        <ClosedPositionDialog trader={username} position={chosen} onDismiss={() => setChosen(null)} />
      )}
    </section>
  )
}

function OrderSelect({ order, onChoose }: { order: Order; onChoose: (order: Order) => void }) {
  const id = useId()
  return (
    <div className="space-y-2">
      <Label htmlFor={id}>Order</Label>
      <Select id={id} value={order} onChange={(event) => onChoose(event.currentTarget.value as Order)}>
        {Object.entries(ORDERS).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </Select>
    </div>
  )
}

/** Asked for when it is sent, not with every letter. */
function TickerFilter({ onFilter }: { onFilter: (symbol: string) => void }) {
  const id = useId()
  const [typed, setTyped] = useState('')
  function filter(event: FormEvent): void {
    event.preventDefault()
    onFilter(normaliseSymbol(typed))
  }
  return (
    <form onSubmit={filter} className="flex items-end gap-2">
      <div className="space-y-2">
        <Label htmlFor={id}>Ticker</Label>
        <Input
          id={id}
          value={typed}
          placeholder="All"
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          className="w-28 uppercase placeholder:normal-case"
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </div>
      <Button type="submit" variant="outline" className="min-w-0">
        Filter
      </Button>
    </form>
  )
}

type ClosedPagesProps = {
  username: string
  order: Order
  /** Empty for all, as the month is. */
  symbol?: string
  month?: string
  /** In place of a list without a position. */
  none: string
  /** The name of the table. */
  caption: string
  onChoose: (position: ClosedOfTrader) => void
}

/** A list of closed positions, page after page. */
export function ClosedPages(props: ClosedPagesProps) {
  const { username, order, symbol = '', month = '', none, caption, onChoose } = props
  const [sort, direction] = order.split(' ') as [ClosedSort, SortOrder]
  const list = useInfiniteQuery(closedPositionsQuery(username, { sort, order: direction, symbol, month }))
  if (list.data === undefined) {
    return list.isError ? (
      <ErrorPanel message={messageOf(list.error)} onRetry={() => void list.refetch()} />
    ) : (
      <Skeleton role="status" aria-label="Loading closed positions" className="h-64 rounded-xl" />
    )
  }
  const positions = list.data.pages.flatMap((page) => page.positions)
  if (positions.length === 0) return <EmptyState title={none} />
  return (
    <>
      {list.isRefetchError && (
        <RefreshFailure message={messageOf(list.error)} onRetry={() => void list.refetch()} />
      )}
      <p role="status" className="sr-only">{`${positions.length} shown`}</p>
      <ClosedTable caption={caption} positions={positions} onChoose={onChoose} />
      <NextPage list={list} failure={messageOf(list.error)} />
    </>
  )
}

type ClosedPositionDialogProps = {
  /** Username. */
  trader: string
  position: ClosedOfTrader
  onDismiss: () => void
}

/** A closed position in full; its notes for those who may read them (rule G-49). */
export function ClosedPositionDialog({ position, trader, onDismiss }: ClosedPositionDialogProps) {
  const { symbol, companyName, holdLength, daysHeld, percentageGain, notes, openPrice, closePrice } = position
  const isUnsettled = position.settled === false
  return (
    <Dialog open onOpenChange={(open) => !open && onDismiss()}>
      <DialogContent aria-describedby={undefined}>
        <DialogHeader>
          <DialogTitle translate="no">{symbol}</DialogTitle>
          <CompanyName name={companyName} />
        </DialogHeader>
        <p>
          <Gain value={percentageGain} className="text-3xl font-semibold tracking-tight" />
        </p>
        {isUnsettled && <UnsettledNote />}
        <StruckNotice struck={position.struck} struckReason={position.struckReason} />
        <dl className="grid grid-cols-2 gap-x-6 gap-y-4">
          <Fact name="Open Price">
            <span translate="no">{formatPrice(openPrice, closePrice)}</span>
          </Fact>
          <Fact name={isUnsettled ? 'Last Price' : 'Close Price'}>
            <span translate="no">{formatPrice(closePrice, openPrice)}</span>
          </Fact>
          <Fact name="Opened">
            <Instant iso={position.opened} />
          </Fact>
          <Fact name="Closed">
            <Instant iso={position.closed} />
          </Fact>
          <Fact name="Hold Length">{holdLengthLabel(holdLength)}</Fact>
          <Fact name="Held">{`${daysHeld} ${daysHeld === 1 ? 'day' : 'days'}`}</Fact>
        </dl>
        {notes ? (
          <>
            <Notes name="Open notes" text={notes.open} />
            {notes.close === undefined ? (
              <p className="text-sm text-muted-foreground">
                What was written at its close is for those who followed then.
              </p>
            ) : (
              <Notes name="Close notes" text={notes.close} />
            )}
          </>
        ) : (
          <p className="text-sm text-muted-foreground">
            What was written about it is for those who followed while it was open.
          </p>
        )}
        <PositionHistory trader={trader} id={position.id} always />
      </DialogContent>
    </Dialog>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-sm text-muted-foreground">{name}</dt>
      <dd className="mt-0.5 font-medium wrap-anywhere tabular-nums">{children}</dd>
    </div>
  )
}

/** The local date, and the time of day here and in UTC. */
function Instant({ iso }: { iso: string }) {
  return (
    <time dateTime={iso} title={formatExactTime(iso)}>
      <span>{formatDate(iso)}</span>
      <span className="block text-sm font-normal text-muted-foreground">{formatClock(iso)}</span>
    </time>
  )
}
