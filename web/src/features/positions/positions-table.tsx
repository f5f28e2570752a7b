import type { Position } from '@tradepost/contract/positions'
import { memo } from 'react'
import { formatAge, formatDay } from '../../lib/format.ts'
import { useMinute } from '../../lib/use-minute.ts'
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
import { PositionRow } from './position-row.tsx'
import { isOwn } from './position-tabs.ts'
import { publicityOf } from './public-from.tsx'
import { CELL, COLUMNS, LEFT_1, LEFT_2, LINES, OPEN_PRICE_HEAD, RIGHT } from './row-lines.ts'
import { type Marks, markAge } from './use-marks.ts'

type PositionsTableProps = {
  /** In the order to show. */
  positions: readonly Position[]
  /** The viewer's, empty until set. */
  username: string
  marks: Marks
  /** Somebody goes for a row: points at the table, touches it if only to scroll, or comes to it with the keyboard. */
  onIntent: () => void
  /** A row was chosen; a stable function, so that an open dialog does not redraw five hundred rows. */
  onChoose: (position: Position) => void
}

/** Active positions; a row opens the dialog (docs/specification.md section 2). */
export const PositionsTable = memo(function PositionsTable(props: PositionsTableProps) {
  const { positions, username, marks, onIntent, onChoose } = props
  const now = useMinute()
  return (
    <Table data-lines className="block" onPointerEnter={onIntent} onFocus={onIntent}>
      <TableCaption>Active positions</TableCaption>
      <PositionsHeader />
      <TableBody className="block">
        {positions.map((position) => {
          const { day, isPublic, over } = publicityOf(position, now)
          return (
            <PositionRow
              key={position.id}
              position={position}
              own={isOwn(position, username)}
              day={formatDay(position.openedAt, now)}
              age={formatAge(position.openedAt, now)}
              publicDay={day}
              isPublic={isPublic}
              over={over}
              showsWorth={marks.failed || marks.bySymbol?.has(position.stock) === true}
              mark={marks.bySymbol?.get(position.stock)}
              markAge={markAge(marks, position.stock)}
              onChoose={onChoose}
            />
          )
        })}
      </TableBody>
    </Table>
  )
})

const HEAD = 'h-auto py-2.5 whitespace-nowrap'

function PositionsHeader() {
  return (
    <TableHeader className="block">
      <TableRow className={COLUMNS}>
        <TableHead className={HEAD}>Stock</TableHead>
        <TableHead className={HEAD}>Trader</TableHead>
        <TableHead className={cn(HEAD, OPEN_PRICE_HEAD)}>Open Price</TableHead>
        <TableHead className={cn(HEAD, 'lg:pl-10')}>Opened</TableHead>
        <TableHead className={HEAD}>Hold Length</TableHead>
      </TableRow>
    </TableHeader>
  )
}

const SKELETON_ROWS = ['a', 'b', 'c', 'd', 'e', 'f']
const SKELETON_CELLS = [
  ['Stock', cn(LEFT_1, 'lined:col-start-1'), 'w-full max-w-12 lined:w-12'],
  ['Trader', 'max-md:hidden', 'w-full max-w-24'],
  ['Open Price', RIGHT, 'w-full max-w-16 md:ml-auto lined:ml-auto lined:w-14'],
  ['Opened', 'max-md:hidden lg:pl-10', 'w-full max-w-24'],
  ['Hold Length', cn(LEFT_2, 'lined:col-start-1'), 'w-full max-w-20 lined:w-32'],
] as const

/** The table while it loads, in its final shape. */
export function PositionsTableSkeleton() {
  return (
    <div role="status" aria-label="Loading positions" aria-busy="true">
      <Table data-lines aria-hidden="true" className="block">
        <PositionsHeader />
        <TableBody className="block">
          {SKELETON_ROWS.map((row) => (
            <TableRow key={row} className={cn(COLUMNS, LINES, 'md:min-h-15')}>
              {SKELETON_CELLS.map(([label, place, width]) => (
                <TableCell key={label} className={cn(CELL, place)}>
                  <Skeleton className={`my-1 h-4 lined:my-0.5 lined:h-3.5 ${width}`} />
                </TableCell>
              ))}
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </div>
  )
}
