import { useInfiniteQuery } from '@tanstack/react-query'
import type { ClosedOfTrader, ClosedSort, SortOrder } from '@tradepost/contract/closed-positions'
import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import { messageOf } from '../../lib/api-refusal.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorPanel } from '../../ui/error-panel.tsx'
import { Input } from '../../ui/input.tsx'
import { Label } from '../../ui/label.tsx'
import { NextPage } from '../../ui/next-page.tsx'
import { RefreshFailure } from '../../ui/refresh-failure.tsx'
import { Select } from '../../ui/select.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { ClosedPositionDialog } from './closed-position-dialog.tsx'
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
      <Pages username={username} order={order} symbol={symbol} onChoose={setChosen} />
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
    onFilter(typed.trim().toUpperCase())
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
          maxLength={10}
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

type PagesProps = {
  username: string
  order: Order
  symbol: string
  onChoose: (position: ClosedOfTrader) => void
}

function Pages({ username, order, symbol, onChoose }: PagesProps) {
  const [sort, direction] = order.split(' ') as [ClosedSort, SortOrder]
  const list = useInfiniteQuery(closedPositionsQuery(username, { sort, order: direction, symbol }))
  if (list.data === undefined) {
    return list.isError ? (
      <ErrorPanel message={messageOf(list.error)} onRetry={() => void list.refetch()} />
    ) : (
      <Skeleton role="status" aria-label="Loading closed positions" className="h-64 rounded-xl" />
    )
  }
  const positions = list.data.pages.flatMap((page) => page.positions)
  if (positions.length === 0) return <EmptyState title={`No closed position in ${symbol}.`} />
  return (
    <>
      {list.isRefetchError && (
        <RefreshFailure message={messageOf(list.error)} onRetry={() => void list.refetch()} />
      )}
      <p role="status" className="sr-only">{`${positions.length} shown`}</p>
      <ClosedTable positions={positions} onChoose={onChoose} />
      <NextPage list={list} failure={messageOf(list.error)} />
    </>
  )
}
