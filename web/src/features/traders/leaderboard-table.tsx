import type { Leaderboard, RankedEntry } from '@tradepost/contract/leaderboard'
import { recordFacts } from '../../lib/record-facts.ts'
import { cn } from '../../ui/cn.ts'
import { Gain } from '../../ui/gain.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Sparkline } from '../../ui/sparkline.tsx'
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
import { RankedName, TraderRow } from './trader-row.tsx'

/** Two lines, on a phone within 52 px. */
const ROW = 'h-14 lined:h-13'

const SPARKLINE = { width: 80, height: 28 }

/** On a phone the second line needs this room, and is no part of the width of the first one. */
const NAME_BESIDE_CURVE = 'min-w-0 lined:min-[24rem]:min-w-53'
/** Only a wide enough phone has it; beside a long name it does not fit into the one line that is in sight. */
const CURVE =
  'ml-auto lined:flex lined:h-4.25 lined:min-w-0 lined:flex-1 lined:flex-wrap lined:justify-end lined:overflow-hidden lined:before:h-4.25 lined:before:w-2 lined:max-[24rem]:hidden'

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
  const facts = recordFacts(entry)
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
        <span className="flex items-center gap-4 lined:gap-0">
          <span className={cn(sparkline && NAME_BESIDE_CURVE)}>
            <RankedName username={username} isSelf={isSelf} isBeyond={rank !== undefined} below={below} />
          </span>
          {sparkline && (
            <span className={cn(CURVE, rank && 'lined:hidden')}>
              <Sparkline
                levels={sparkline}
                size={SPARKLINE}
                className="lined:mr-1.5 lined:h-4.25 lined:w-12"
              />
            </span>
          )}
        </span>
      </TableCell>
      <TableCell className={cn(CELL, 'text-right')}>
        <Gain value={averageGain} />
      </TableCell>
    </TraderRow>
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
