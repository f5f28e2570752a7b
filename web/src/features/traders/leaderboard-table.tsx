import { useQueryClient } from '@tanstack/react-query'
import type { LeaderboardEntry } from '@tradepost/contract/leaderboard'
import { webPaths } from '@tradepost/contract/web-paths'
import { type MouseEvent, useRef } from 'react'
import { Link, useNavigate } from '../../lib/router.tsx'
import { cn } from '../../ui/cn.ts'
import { Gain } from '../../ui/gain.tsx'
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
import { profileQuery } from './traders.api.ts'

/** A pointer that rests this long means it; one that crosses the table asks for nothing. */
const INTENT_MS = 60

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
          <LeaderboardRow key={entry.username} entry={entry} />
        ))}
      </TableBody>
    </Table>
  )
}

function LeaderboardRow({ entry }: { entry: LeaderboardEntry }) {
  const navigate = useNavigate()
  const client = useQueryClient()
  const intent = useRef<ReturnType<typeof setTimeout>>(undefined)
  const path = webPaths.trader(entry.username)

  function fetchAhead(): void {
    const profile = profileQuery(entry.username)
    // One that has failed is not retried by pointing at it (decision G-18).
    if (client.getQueryState(profile.queryKey)?.status !== 'error') void client.prefetchQuery(profile)
  }
  /** The link in the row follows itself, with whatever key is held. */
  function follow(event: MouseEvent<HTMLTableRowElement>): void {
    if (event.target instanceof Element && event.target.closest('a') !== null) return
    navigate(path)
  }
  return (
    <TableRow
      className="cursor-pointer [counter-increment:rank] lined:h-13"
      onClick={follow}
      onFocus={fetchAhead}
      onPointerEnter={() => {
        intent.current = setTimeout(fetchAhead, INTENT_MS)
      }}
      onPointerLeave={() => clearTimeout(intent.current)}
    >
      <TableCell className={CELL}>
        <span className="flex items-center">
          {/* The rank is drawn, not written: the table has two columns, and their order says the same. */}
          <span
            aria-hidden="true"
            className="mr-3 min-w-6 text-right text-muted-foreground before:content-[counter(rank)] lined:text-sm"
          />
          <Monogram name={entry.username} className="mr-2.5" />
          <Link
            to={path}
            data-row-action
            className="rounded-sm font-semibold outline-none hover:underline focus-visible:ring-2 focus-visible:ring-ring focus-visible:ring-offset-2 focus-visible:ring-offset-background lined:inline-flex lined:min-h-11 lined:items-center"
          >
            {entry.username}
          </Link>
        </span>
      </TableCell>
      <TableCell className={cn(CELL, 'text-right')}>
        <Gain value={entry.averageGain} />
      </TableCell>
    </TableRow>
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
