import type { Leaderboard, RankedEntry } from '@tradepost/contract/leaderboard'
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
import { ownRankText } from './own-rank.ts'
import { drawSparkline, SPARKLINE } from './sparkline-path.ts'
import { RankedName, TraderRow } from './trader-row.tsx'

/** Two lines, on a phone within 52 px. */
const ROW = 'h-14 lined:h-13'

const CELL = 'py-1 lined:px-0 lined:py-0'

/** Traders by average gain; a row leads to the trader (docs/specification.md section 2). */
export function LeaderboardTable({ leaderboard, own }: Leaderboard) {
  return (
    <Table data-lines className="[counter-reset:rank]">
      <TableCaption>Traders by average gain of their closed positions, best first</TableCaption>
      <LeaderboardHeader />
      <TableBody>
        {leaderboard.map((entry) => (
          <LeaderboardRow key={entry.username} entry={entry} />
        ))}
        {own && <LeaderboardRow entry={own} rank={ownRankText(own)} />}
      </TableBody>
    </Table>
  )
}

type LeaderboardRowProps = {
  entry: RankedEntry
  /** In words, of a row that is not at its place in the list. */
  rank?: string
}

function LeaderboardRow({ entry, rank }: LeaderboardRowProps) {
  const { username, averageGain, sparkline, isSelf = false } = entry
  const facts = factsOf(entry)
  const below = rank ? (
    <>
      <span>{rank}</span>
      {facts && <span className="lined:sr-only">{` · ${facts}`}</span>}
    </>
  ) : (
    facts
  )
  return (
    <TraderRow username={username} isSelf={isSelf} className={ROW}>
      <TableCell className={CELL}>
        <span className="flex items-center gap-4">
          <RankedName username={username} isSelf={isSelf} isBeyond={rank !== undefined} below={below} />
          {sparkline && <Sparkline levels={sparkline} className="ml-auto lined:hidden" />}
        </span>
      </TableCell>
      <TableCell className={cn(CELL, 'text-right')}>
        <Gain value={averageGain} />
      </TableCell>
    </TraderRow>
  )
}

/** `25 closed · 64 % wins`; the share is left out where it would mean nothing (ADR 0052). */
function factsOf({ closed, wins }: RankedEntry): string | null {
  if (closed === undefined || wins === undefined) return null
  return `${closed} closed · ${wins === null ? 'few positions' : `${winPercent(wins, closed)} % wins`}`
}

/** Rounded, but never to none or all of them where that is not true. */
function winPercent(wins: number, closed: number): number {
  if (wins === 0 || wins === closed) return wins === 0 ? 0 : 100
  return Math.min(Math.max(Math.round((100 * wins) / closed), 1), 99)
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
            <TableRow key={row} className={ROW}>
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

type SparklineProps = { levels: readonly number[]; className?: string }

/** A trader's curve beside the line on which it began. It has no words: the figures of the row are for screen readers. */
function Sparkline({ levels, className }: SparklineProps) {
  const { path, start } = drawSparkline(levels)
  const isBelow = (levels.at(-1) ?? 100) < 100
  return (
    <svg
      data-slot="sparkline"
      aria-hidden="true"
      width={SPARKLINE.width}
      height={SPARKLINE.height}
      className={cn('shrink-0', className)}
    >
      <line
        x1="0"
        x2="100%"
        y1={start}
        y2={start}
        strokeDasharray="2 3"
        className="stroke-muted-foreground/60"
      />
      <path
        d={path}
        fill="none"
        strokeWidth="1.5"
        strokeLinejoin="round"
        strokeLinecap="round"
        className={isBelow ? 'stroke-destructive' : 'stroke-primary'}
      />
    </svg>
  )
}
