import { formatPrice } from '@tradepost/contract/gain'
import { HOLD_LENGTH_LABELS } from '@tradepost/contract/hold-length'
import type { Position } from '@tradepost/contract/positions'
import { type MouseEvent, memo } from 'react'
import { formatDate } from '../../lib/format.ts'
import { cn } from '../../ui/cn.ts'
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

/**
 * Each row lays itself out, by widths that do not depend on what stands in the others: so one out of sight need not be
 * drawn.
 */
const COLUMNS =
  'sm:grid sm:grid-cols-[4.75rem_minmax(4.5rem,1fr)_6.25rem_7.75rem_minmax(5.75rem,9.25rem)] sm:items-center lg:grid-cols-[16%_24%_16%_24%_20%]'

/**
 * Five hundred rows, of which a screen shows twenty: out of sight a row is only as high as one of one line (or its
 * stack, without padding and border), yet it is searched, reached and read out like the others.
 */
const UNSEEN =
  '[content-visibility:auto] [contain-intrinsic-block-size:auto_2.953125rem] stacked:[contain-intrinsic-block-size:auto_11.0625rem]'

type PositionsTableProps = {
  /** In the order to show. */
  positions: readonly Position[]
  /** The viewer's, empty until set. */
  username: string
  /** A row was chosen; a stable function, so that an open dialog does not redraw five hundred rows. */
  onChoose: (position: Position) => void
}

/** Active positions; a row opens the dialog (docs/specification.md section 2). */
export const PositionsTable = memo(function PositionsTable(props: PositionsTableProps) {
  const { positions, username, onChoose } = props
  return (
    <Table className="block">
      <TableCaption>Active positions</TableCaption>
      <PositionsHeader />
      <TableBody className="block">
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
    <TableRow onClick={choose} className={cn(COLUMNS, UNSEEN, 'cursor-pointer')}>
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
      <TableCell data-label="Opened" className="lg:pl-10 lg:whitespace-nowrap">
        {formatDate(position.openedAt)}
      </TableCell>
      <TableCell data-label="Hold Length">{HOLD_LENGTH_LABELS[position.holdLength]}</TableCell>
    </TableRow>
  )
})

const HEAD = 'h-auto py-2.5 whitespace-nowrap'

function PositionsHeader() {
  return (
    <TableHeader className="block">
      <TableRow className={COLUMNS}>
        <TableHead className={HEAD}>Stock</TableHead>
        <TableHead className={HEAD}>Trader</TableHead>
        <TableHead className={cn(HEAD, 'text-right')}>Open Price</TableHead>
        <TableHead className={cn(HEAD, 'lg:pl-10')}>Opened</TableHead>
        <TableHead className={HEAD}>Hold Length</TableHead>
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
      <Table aria-hidden="true" className="block">
        <PositionsHeader />
        <TableBody className="block">
          {SKELETON_ROWS.map((row) => (
            <TableRow key={row} className={COLUMNS}>
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
