import { Mail } from 'lucide-react'
import { Card } from '../../ui/card.tsx'
import { Gain } from '../../ui/gain.tsx'
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
      <Card className="overflow-hidden px-2 py-1">
        <Table>
          <TableCaption>An example of the positions list</TableCaption>
          <TableHeader>
            <TableRow>
              <TableHead>Stock</TableHead>
              <TableHead>Trader</TableHead>
              <TableHead className="text-right">Open Price</TableHead>
              <TableHead>Hold Length</TableHead>
            </TableRow>
          </TableHeader>
          <TableBody>
            <SampleRow stock="AAPL" trader="maria" price="$187.52" hold="1-3 weeks" />
            <SampleRow stock="KO" trader="northwind" price="$61.30" hold="6+ months" />
          </TableBody>
        </Table>
      </Card>
      <Card className="relative -mt-3 ml-4 p-5 shadow-xl sm:ml-12">
        <p className="flex items-center gap-2 text-sm text-muted-foreground">
          <Mail aria-hidden="true" className="size-4" />
          Tradepost
          <span className="ml-auto">now</span>
        </p>
        <p className="mt-2 text-base font-semibold">
          @maria closed AAPL at $201.10 <Gain value="7.24" className="align-baseline" />
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

function SampleRow({ stock, trader, price, hold }: SampleRowProps) {
  return (
    <TableRow>
      <TableCell data-label="Stock" className="font-medium">
        {stock}
      </TableCell>
      <TableCell data-label="Trader">{trader}</TableCell>
      <TableCell data-label="Open Price" className="text-right">
        {price}
      </TableCell>
      <TableCell data-label="Hold Length">{hold}</TableCell>
    </TableRow>
  )
}
