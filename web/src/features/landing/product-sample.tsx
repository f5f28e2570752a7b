import { Mail } from 'lucide-react'
import { Card } from '../../ui/card.tsx'
import { cn } from '../../ui/cn.ts'
import { Gain } from '../../ui/gain.tsx'
import { Monogram } from '../../ui/monogram.tsx'
import {
  Table,
  TableBody,
  TableCaption,
  TableCell,
  TableHead,
  TableHeader,
  TableRow,
} from '../../ui/table.tsx'

/** The product itself: a position as the list shows it, and the mail that its close causes. An invented example. */
export function ProductSample() {
  return (
    <figure className="min-w-0">
      <Card className="overflow-hidden px-2 pt-1 pb-4">
        <Table data-lines className="lined:block">
          <TableCaption>An example of the positions list</TableCaption>
          <TableHeader>
            <TableRow>
              <TableHead>Stock</TableHead>
              <TableHead>Trader</TableHead>
              <TableHead className="text-right">Open Price</TableHead>
              <TableHead>Hold Length</TableHead>
            </TableRow>
          </TableHeader>
          <TableBody className="lined:block">
            <SampleRow stock="AAPL" trader="maria" price="$187.52" hold="1-3 weeks" />
            <SampleRow stock="KO" trader="northwind" price="$61.30" hold="6+ months" />
          </TableBody>
        </Table>
      </Card>
      <Card className="relative -mt-3 ml-4 p-5 shadow-xl sm:ml-12">
        <p className="flex items-center gap-2 text-sm text-muted-foreground">
          <Mail aria-hidden="true" className="size-4" />
          <span>Tradepost</span>
          <span className="ml-auto">now</span>
        </p>
        <p className="mt-2 text-base font-semibold">
          <span>{`@maria closed AAPL at $201.10 `}</span>
          <Gain value="7.24" className="align-baseline" />
        </p>
        <p className="mt-1.5 text-muted-foreground">
          “Target reached before earnings. I would rather be early than greedy.”
        </p>
      </Card>
      <figcaption className="mt-4 text-sm text-muted-foreground sm:ml-12">
        An example: what you see, and the e-mail you get.
      </figcaption>
    </figure>
  )
}

type SampleRowProps = { stock: string; trader: string; price: string; hold: string }

/** On a phone two lines, as in the list itself: ticker and price; trader and hold. */
const LINES =
  'lined:grid lined:h-16 lined:grid-cols-[auto_auto_minmax(0,1fr)_auto] lined:grid-rows-[1.5rem_1.25rem] lined:content-center lined:px-3'
const SECOND_LINE = 'lined:row-start-2 lined:text-[0.8125rem] lined:leading-5 lined:text-muted-foreground'

function SampleRow({ stock, trader, price, hold }: SampleRowProps) {
  return (
    <TableRow className={LINES}>
      <TableCell
        translate="no"
        className="font-semibold lined:col-span-2 lined:col-start-2 lined:row-start-1 lined:p-0"
      >
        {stock}
      </TableCell>
      <TableCell className="lined:contents">
        <span className="flex items-center gap-2.5 lined:contents">
          <Monogram
            name={trader}
            className="lined:row-span-2 lined:row-start-1 lined:mr-3 lined:size-8 lined:self-center"
          />
          <span translate="no" className={cn(SECOND_LINE, 'lined:col-start-2')}>
            {trader}
          </span>
        </span>
      </TableCell>
      <TableCell
        translate="no"
        className="text-right font-medium lined:col-start-4 lined:row-start-1 lined:p-0"
      >
        {price}
      </TableCell>
      <TableCell
        className={cn(
          SECOND_LINE,
          'lined:col-start-3 lined:p-0 lined:before:mx-1 lined:before:content-["·"]',
        )}
      >
        {hold}
      </TableCell>
    </TableRow>
  )
}
