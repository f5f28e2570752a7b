import { formatPrice } from '@tradepost/contract/gain'
import { HOLD_LENGTH_LABELS } from '@tradepost/contract/hold-length'
import type { Position } from '@tradepost/contract/positions'
import { type MouseEvent, memo } from 'react'
import { formatDate } from '../../lib/format.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import {
  Table,
  TableBody,
  TableCaption,
  TableCell,
  TableHead,
  TableHeader,
  TableRow,
} from '../../ui/table.tsx'
import { isOwn } from './position-tabs.ts'

type PositionsTableProps = {
  /** In the order to show. */
  positions: readonly Position[]
  /** The viewer's, empty until set. */
  username: string
  /** A row was chosen; a stable function, so that an open dialog does not redraw five hundred rows. */
  onChoose: (position: Position) => void
}

/** Active positions; a row opens the dialog (product.md section 2). */
export const PositionsTable = memo(function PositionsTable(props: PositionsTableProps) {
  const { positions, username, onChoose } = props
  return (
    <Table className="lg:table-fixed">
      <TableCaption>Active positions</TableCaption>
      <PositionsHeader />
      <TableBody>
        {positions.map((position) => (
          <PositionRow
            key={position.id}
            position={position}
            own={isOwn(position, username)}
            onChoose={onChoose}
          />
        ))}
      </TableBody>
    </Table>
  )
})

type PositionRowProps = { position: Position; own: boolean; onChoose: (position: Position) => void }

const PositionRow = memo(function PositionRow({ position, own, onChoose }: PositionRowProps) {
  /** The whole row answers the pointer; the button in it is what the keyboard reaches and the focus returns to. */
  function choose(event: MouseEvent<HTMLTableRowElement>): void {
    event.currentTarget.querySelector<HTMLElement>('[data-row-action]')?.focus({ preventScroll: true })
    onChoose(position)
  }
  return (
    <TableRow onClick={choose} className="cursor-pointer">
      <TableCell data-label="Stock">
        <button
          type="button"
          data-row-action
          aria-haspopup="dialog"
          className="cursor-pointer rounded-sm text-left font-semibold whitespace-nowrap outline-none focus-visible:ring-2 focus-visible:ring-ring focus-visible:ring-offset-2 focus-visible:ring-offset-background max-sm:min-h-11 max-sm:min-w-11 max-sm:text-right"
        >
          {position.stock.toUpperCase()}
        </button>
      </TableCell>
      <TableCell data-label="Trader">{own ? 'Me' : position.user}</TableCell>
      <TableCell data-label="Open Price" className="text-right whitespace-nowrap">
        {formatPrice(position.openPrice)}
      </TableCell>
      <TableCell data-label="Opened" className="whitespace-nowrap lg:pl-10">
        {formatDate(position.openedAt)}
      </TableCell>
      <TableCell data-label="Hold Length">{HOLD_LENGTH_LABELS[position.holdLength]}</TableCell>
    </TableRow>
  )
})

function PositionsHeader() {
  return (
    <TableHeader>
      <TableRow>
        <TableHead className="lg:w-[16%]">Stock</TableHead>
        <TableHead className="lg:w-[24%]">Trader</TableHead>
        <TableHead className="whitespace-nowrap lg:w-[16%] text-right">Open Price</TableHead>
        <TableHead className="lg:w-[24%] lg:pl-10">Opened</TableHead>
        <TableHead className="lg:w-[20%]">Hold Length</TableHead>
      </TableRow>
    </TableHeader>
  )
}

const SKELETON_ROWS = ['a', 'b', 'c', 'd', 'e', 'f']
const SKELETON_CELLS = [
  ['Stock', 'w-full max-w-12 max-sm:my-3.5'],
  ['Trader', 'w-full max-w-24'],
  ['Open Price', 'w-full max-w-16 sm:ml-auto'],
  ['Opened', 'w-full max-w-24 lg:ml-7'],
  ['Hold Length', 'w-full max-w-20'],
] as const

/** The table while it loads, in its final shape. */
export function PositionsTableSkeleton() {
  return (
    <div role="status" aria-label="Loading positions" aria-busy="true">
      <Table aria-hidden="true" className="lg:table-fixed">
        <PositionsHeader />
        <TableBody>
          {SKELETON_ROWS.map((row) => (
            <TableRow key={row}>
              {SKELETON_CELLS.map(([label, width]) => (
                <TableCell key={label} data-label={label}>
                  <Skeleton className={`my-1 h-4 ${width}`} />
                </TableCell>
              ))}
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </div>
  )
}
