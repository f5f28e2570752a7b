import { formatPrice } from '@tradepost/contract/gain'
import { HOLD_LENGTH_LABELS } from '@tradepost/contract/hold-length'
import type { Position } from '@tradepost/contract/positions'
import { type MouseEvent, memo } from 'react'
import { formatAge, formatDay } from '../../lib/format.ts'
import { When } from '../../lib/when.tsx'
import { cn } from '../../ui/cn.ts'
import { CompanyName } from '../../ui/company-name.tsx'
import { Monogram } from '../../ui/monogram.tsx'
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
import { daysOver, OverPlan } from './over-plan.tsx'
import { isOwn } from './position-tabs.ts'
import { useMinute } from './use-minute.ts'

/**
 * Each row lays itself out, by widths that do not depend on what stands in the others: so one out of sight need not be
 * drawn. On a phone it has two lines: ticker and price; trader, hold and opening.
 */
const COLUMNS =
  'md:grid md:grid-cols-[4.75rem_minmax(4.5rem,1fr)_6.25rem_7.75rem_minmax(5.75rem,9.25rem)] md:items-center lg:grid-cols-[16%_24%_16%_24%_20%]'
const LINES =
  'lined:relative lined:grid lined:h-16 lined:grid-cols-[auto_auto_minmax(0,1fr)_auto] lined:grid-rows-[1.5rem_1.25rem] lined:content-center'
const CELL = 'py-2 lined:p-0'
const SECOND_LINE = 'lined:row-start-2 lined:text-[0.8125rem] lined:leading-5 lined:text-muted-foreground'

/**
 * Five hundred rows, of which a screen shows twenty: out of sight a row is only as high as one of two lines, yet it is
 * searched, reached and read out like the others.
 */
const UNSEEN =
  '[content-visibility:auto] [contain-intrinsic-block-size:auto_4rem] md:min-h-15 md:[contain-intrinsic-block-size:auto_3.6875rem]'

/** Most tickers have five letters at most; up to this length the words beside them fit on a phone. */
const SHORT_TICKER_LENGTH = 5

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
  const now = useMinute()
  return (
    <Table data-lines className="block">
      <TableCaption>Active positions</TableCaption>
      <PositionsHeader />
      <TableBody className="block">
        {positions.map((position) => (
          <PositionRow
            key={position.id}
            position={position}
            own={isOwn(position, username)}
            day={formatDay(position.openedAt, now)}
            age={formatAge(position.openedAt, now)}
            over={daysOver(position, now)}
            onChoose={onChoose}
          />
        ))}
      </TableBody>
    </Table>
  )
})

type PositionRowProps = {
  position: Position
  own: boolean
  /** The local day of the opening, how long ago it was, and the days past the plan: as of now, so that a row changes with them. */
  day: string
  age: string | null
  over: number
  onChoose: (position: Position) => void
}

const PositionRow = memo(function PositionRow({ position, own, onChoose, ...opened }: PositionRowProps) {
  /** The whole row answers the pointer; the button in it is what the keyboard reaches and the focus returns to. */
  function choose(event: MouseEvent<HTMLTableRowElement>): void {
    event.currentTarget.querySelector<HTMLElement>('[data-row-action]')?.focus({ preventScroll: true })
    onChoose(position)
  }
  return (
    <TableRow onClick={choose} className={cn('group/row', COLUMNS, LINES, UNSEEN, 'cursor-pointer')}>
      <TableCell className={cn(CELL, 'lined:col-span-2 lined:col-start-2 lined:row-start-1')}>
        <button
          type="button"
          data-row-action
          aria-haspopup="dialog"
          className="cursor-pointer rounded-sm text-left font-semibold whitespace-nowrap outline-none focus-visible:ring-2 focus-visible:ring-ring focus-visible:ring-offset-2 focus-visible:ring-offset-background lined:after:absolute lined:after:inset-0"
        >
          {position.stock.toUpperCase()}
        </button>
        <CompanyName name={position.companyName} className="md:max-lg:hidden" />
      </TableCell>
      <TraderCell username={position.user} own={own} />
      {/* On wide screens its second line is free for what the position is worth now. */}
      <TableCell
        className={cn(CELL, 'text-right font-medium whitespace-nowrap lined:col-start-4 lined:row-start-1')}
      >
        {formatPrice(position.openPrice)}
      </TableCell>
      <TableCell className={cn(CELL, SECOND_LINE, 'whitespace-nowrap lg:pl-10 lined:col-start-4 lined:pl-3')}>
        <When iso={position.openedAt} day={opened.day} age={opened.age} />
      </TableCell>
      <TableCell className={cn(CELL, 'lined:contents')}>
        <span
          className={cn(
            SECOND_LINE,
            'block lined:col-start-3 lined:truncate lined:before:mx-1 lined:before:content-["·"]',
          )}
        >
          {HOLD_LENGTH_LABELS[position.holdLength]}
        </span>
        <OverPlan
          days={opened.over}
          besideLong={position.stock.length > SHORT_TICKER_LENGTH}
          className="md:max-lg:whitespace-normal lined:col-span-2 lined:col-start-2 lined:row-start-1 lined:mr-2 lined:self-center lined:justify-self-end"
        />
      </TableCell>
    </TableRow>
  )
})

/** On a phone the letters stand before both lines, and the name begins the second. */
function TraderCell({ username, own }: { username: string; own: boolean }) {
  return (
    <TableCell className={cn(CELL, 'lined:contents')}>
      <span className="flex items-center gap-2.5 lined:contents">
        <Monogram
          name={username}
          className="md:max-lg:hidden lined:row-span-2 lined:row-start-1 lined:mr-3 lined:size-8 lined:self-center max-[22.4rem]:hidden"
        />
        <span className={cn(SECOND_LINE, 'min-w-0 wrap-anywhere lined:col-start-2 lined:truncate')}>
          {own ? 'Me' : username}
        </span>
      </span>
    </TableCell>
  )
}

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
  ['Stock', 'lined:col-start-1', 'w-full max-w-12 lined:w-12'],
  ['Trader', 'max-md:hidden', 'w-full max-w-24'],
  ['Open Price', 'lined:col-start-4', 'w-full max-w-16 md:ml-auto lined:ml-auto lined:w-14'],
  ['Opened', 'lined:col-start-4 lined:row-start-2 lg:pl-10', 'w-full max-w-24 lined:w-20'],
  ['Hold Length', 'lined:col-start-1 lined:row-start-2', 'w-full max-w-20 lined:w-32'],
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
