import { useQueryClient } from '@tanstack/react-query'
import type { LeaderboardEntry } from '@tradepost/contract/leaderboard'
import { webPaths } from '@tradepost/contract/web-paths'
import { type MouseEvent, useRef } from 'react'
import { Link, useNavigate } from '../../lib/router.tsx'
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
import { profileQuery } from './traders.api.ts'

/** A pointer that rests this long means it; one that crosses the table asks for nothing. */
const INTENT_MS = 60

/** Traders by average gain; a row leads to the trader (docs/specification.md section 2). */
export function LeaderboardTable({ entries }: { entries: readonly LeaderboardEntry[] }) {
  return (
    <Table className="[counter-reset:rank]">
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
      className="cursor-pointer [counter-increment:rank]"
      onClick={follow}
      onFocus={fetchAhead}
      onPointerEnter={() => {
        intent.current = setTimeout(fetchAhead, INTENT_MS)
      }}
      onPointerLeave={() => clearTimeout(intent.current)}
    >
      <TableCell data-label="Trader">
        <span>
          {/* The rank is drawn, not written: the table has two columns, and their order says the same. */}
          <span
            aria-hidden="true"
            className="mr-3 inline-block min-w-6 text-right text-muted-foreground before:content-[counter(rank)]"
          />
          <Link
            to={path}
            data-row-action
            className="rounded-sm font-semibold outline-none hover:underline focus-visible:ring-2 focus-visible:ring-ring focus-visible:ring-offset-2 focus-visible:ring-offset-background max-sm:inline-flex max-sm:min-h-11 max-sm:items-center"
          >
            {entry.username}
          </Link>
        </span>
      </TableCell>
      <TableCell data-label="Average gain" className="text-right">
        <Gain value={entry.averageGain} />
      </TableCell>
    </TableRow>
  )
}

function LeaderboardHeader() {
  return (
    <TableHeader>
      <TableRow>
        <TableHead className="pl-12">Trader</TableHead>
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
      <Table aria-hidden="true">
        <LeaderboardHeader />
        <TableBody>
          {SKELETON_ROWS.map((row) => (
            <TableRow key={row}>
              <TableCell data-label="Trader">
                <Skeleton className="my-1 h-4 w-36 sm:ml-9" />
              </TableCell>
              <TableCell data-label="Average gain">
                <Skeleton className="my-1 h-4 w-16 sm:ml-auto" />
              </TableCell>
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </div>
  )
}
