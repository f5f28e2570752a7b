import type { TrackRange, TrackRecord } from '@tradepost/contract/track-record'
import { useState } from 'react'
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
import { formatSession } from './record-text.ts'
import { periodsOf } from './track-words.ts'

type TrackTableProps = {
  track: TrackRecord
  range: TrackRange
  /** Which open positions count. */
  rule: string
}

/** The rule of counting, and the curve as a table; drawn when somebody opens it. */
export function TrackTable({ track, range, rule }: TrackTableProps) {
  const [open, setOpen] = useState(false)
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="inline-flex min-h-11 cursor-pointer items-center rounded-sm text-sm font-medium underline-offset-4 outline-none hover:underline focus-visible:ring-2 focus-visible:ring-ring sm:min-h-8">
        What counts, and the curve as a table
      </summary>
      {open && (
        <>
          <p className="mt-1 text-sm text-muted-foreground">{rule}</p>
          <Table className="mt-2">
            <TableCaption>{`The curve and ${track.indexSymbol} by ${range === '3m' ? 'week' : 'month'}`}</TableCaption>
            <TableHeader>
              <TableRow>
                <TableHead>Sessions</TableHead>
                <TableHead className="text-right">Curve</TableHead>
                <TableHead className="text-right">{track.indexSymbol}</TableHead>
                <TableHead>Closed</TableHead>
              </TableRow>
            </TableHeader>
            <TableBody>
              {periodsOf(track, range).map(({ from, to, level, index, closed }) => (
                <TableRow key={to}>
                  <TableCell data-label="Sessions">
                    {from === to ? formatSession(to) : `${formatSession(from)} – ${formatSession(to)}`}
                  </TableCell>
                  <TableCell data-label="Curve" className="text-right">
                    <Gain value={level} />
                  </TableCell>
                  <TableCell data-label={track.indexSymbol} className="text-right">
                    <Gain value={index} />
                  </TableCell>
                  <TableCell data-label="Closed" className="text-sm text-muted-foreground">
                    {closed || 'none'}
                  </TableCell>
                </TableRow>
              ))}
            </TableBody>
          </Table>
        </>
      )}
    </details>
  )
}
