import type { ClosedOfTrader } from '@tradepost/contract/closed-positions'
import { formatDate } from '../../lib/format.ts'
import { cn } from '../../ui/cn.ts'
import { CompanyName } from '../../ui/company-name.tsx'
import { Gain } from '../../ui/gain.tsx'
import { Struck } from '../../ui/struck.tsx'
import {
  Table,
  TableBody,
  TableCaption,
  TableCell,
  TableHead,
  TableHeader,
  TableRow,
} from '../../ui/table.tsx'
import { Unsettled } from '../../ui/unsettled.tsx'

/** On a phone the ticker, the day of the close and the days held are left, in two lines, and the gain is right. */
const LINES =
  'lined:relative lined:grid lined:h-16 lined:grid-cols-[auto_minmax(0,1fr)_auto] lined:grid-rows-[1.5rem_1.25rem] lined:content-center'
const CELL = 'py-2 lined:p-0'
const SECOND_LINE =
  'lined:row-start-2 lined:text-[0.8125rem] lined:leading-5 lined:whitespace-nowrap lined:text-muted-foreground'

type ClosedTableProps = {
  caption: string
  positions: readonly ClosedOfTrader[]
  onChoose: (position: ClosedOfTrader) => void
}

export function ClosedTable({ caption, positions, onChoose }: ClosedTableProps) {
  return (
    <Table data-lines className="lined:block">
      <TableCaption>{caption}</TableCaption>
      <TableHeader>
        <TableRow>
          <TableHead>Stock</TableHead>
          <TableHead>Closed</TableHead>
          <TableHead>Held</TableHead>
          <TableHead className="text-right">Profit</TableHead>
        </TableRow>
      </TableHeader>
      <TableBody className="lined:block">
        {positions.map((position) => (
          <ClosedRow key={position.id} position={position} onChoose={onChoose} />
        ))}
      </TableBody>
    </Table>
  )
}

function ClosedRow({
  position,
  onChoose,
}: { position: ClosedOfTrader } & Pick<ClosedTableProps, 'onChoose'>) {
  const { symbol, closed, daysHeld, percentageGain, settled, struck, companyName } = position
  return (
    <TableRow className={cn('md:relative', LINES)}>
      <TableCell className={cn(CELL, 'lined:col-span-2 lined:row-start-1 lined:min-w-0 lined:pr-3')}>
        <button
          translate="no"
          type="button"
          data-row-action
          aria-haspopup="dialog"
          onClick={() => onChoose(position)}
          className="cursor-pointer rounded-sm text-left font-semibold whitespace-nowrap outline-none after:absolute after:inset-0 focus-visible:ring-2 focus-visible:ring-ring focus-visible:ring-offset-2 focus-visible:ring-offset-background"
        >
          {symbol}
        </button>
        <CompanyName name={companyName} />
      </TableCell>
      <TableCell className={cn(CELL, SECOND_LINE)}>
        <time dateTime={closed}>{formatDate(closed)}</time>
      </TableCell>
      <TableCell
        className={cn(CELL, SECOND_LINE, 'lined:col-start-2 lined:before:mx-1 lined:before:content-["·"]')}
      >
        {/* Where no head of a column shows it. */}
        <span className="md:hidden">held </span>
        <span>{`${daysHeld} d`}</span>
      </TableCell>
      <TableCell
        className={cn(
          CELL,
          'text-right lined:col-start-3 lined:row-span-2 lined:row-start-1 lined:self-center',
        )}
      >
        <Gain value={percentageGain} />
        {settled === false && <Unsettled />}
        <Struck struck={struck} className="ml-auto" />
      </TableCell>
    </TableRow>
  )
}
