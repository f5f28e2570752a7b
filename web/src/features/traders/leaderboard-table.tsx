import type { LeaderboardEntry } from '@tradepost/contract/leaderboard'
import { cn } from '../../ui/cn.ts'
import { Gain } from '../../ui/gain.tsx'
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
import { RankedName, TraderRow } from './trader-row.tsx'

/** On a phone a row is one line of 52 px. */
const CELL = 'py-2.5 lined:px-0 lined:py-0'

/** Traders by average gain; a row leads to the trader (docs/specification.md section 2). */
export function LeaderboardTable({ entries }: { entries: readonly LeaderboardEntry[] }) {
  return (
    <Table data-lines className="[counter-reset:rank]">
      <TableCaption>Traders by average gain of their closed positions, best first</TableCaption>
      <LeaderboardHeader />
      <TableBody>
        {entries.map((entry) => (
          <TraderRow key={entry.username} username={entry.username} className="lined:h-13">
            <TableCell className={CELL}>
              <RankedName username={entry.username} />
            </TableCell>
            <TableCell className={cn(CELL, 'text-right')}>
              <Gain value={entry.averageGain} />
            </TableCell>
          </TraderRow>
        ))}
      </TableBody>
    </Table>
  )
}

function LeaderboardHeader() {
  return (
    <TableHeader>
      <TableRow>
        <TableHead className="pl-[5.375rem]">Trader</TableHead>
        <TableHead className="text-right">Average gain</TableHead>
      </TableRow>
    </TableHeader>
  )
}

const SKELETON_ROWS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']

/** The table while it loads, in its final shape. */
export function LeaderboardSkeleton() {
  return (
    <div role="status" aria-label="Loading the leaderboard" aria-busy="true">
      <Table data-lines aria-hidden="true">
        <LeaderboardHeader />
        <TableBody>
          {SKELETON_ROWS.map((row) => (
            <TableRow key={row} className="lined:h-13">
              <TableCell className={CELL}>
                <Skeleton className="my-1.5 ml-[4.625rem] h-4 w-36" />
              </TableCell>
              <TableCell className={CELL}>
                <Skeleton className="ml-auto h-4 w-16" />
              </TableCell>
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </div>
  )
}
