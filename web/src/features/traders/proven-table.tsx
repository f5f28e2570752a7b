import type { Proven, ProvenEntry } from '@tradepost/contract/leaderboard'
import { cn } from '../../ui/cn.ts'
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
import { axisOf, type ProvenAxis, placeOn } from './proven-axis.ts'
import { CLASS_WORDS, classOf, estimate, groupByClass, type ProvenClass } from './proven-words.ts'
import { formatSession } from './record-text.ts'
import { RankedName, TraderRow } from './trader-row.tsx'

/** On a phone: name and interval above, counts and bar below. */
const LINES =
  'h-14 lined:h-auto lined:grid lined:grid-cols-[minmax(0,1fr)_8.25rem] lined:items-center lined:gap-x-4 lined:pb-2.5'
const CELL = 'py-1.5 lined:p-0'
const BAR_CELL = cn(CELL, 'w-[30%] lined:order-4 lined:w-auto')
const RANGE_CELL = cn(CELL, 'text-right whitespace-nowrap lined:order-2')
const COUNTS_CELL = cn(CELL, 'text-sm text-muted-foreground lined:order-3 lined:pl-9')

type ProvenTableProps = Pick<Proven, 'entries' | 'own'> & { asOf: string }

/** Traders by what can be expected of a position beside the index (ADR 0053), in classes; a row leads to the trader. */
export function ProvenTable({ asOf, entries, own }: ProvenTableProps) {
  const axis = axisOf(entries)
  return (
    <>
      <p className="mb-3 text-sm text-muted-foreground">
        {`What one position brings over the index: the best guess, and the range that holds it with 80 % certainty. The thin line is zero. As of ${formatSession(asOf)}.`}
      </p>
      <Table data-lines className="[counter-reset:rank]">
        <TableCaption>
          Traders by how clearly their positions beat the index, in classes; within one by the lower end, best
          first
        </TableCaption>
        <ProvenHeader axis={axis} />
        {groupByClass(entries).map((group) => (
          <TableBody key={group.name} className={GROUP}>
            <ClassRow name={group.name} />
            {group.entries.map((entry) => (
              <ProvenTableRow key={entry.username} axis={axis} entry={entry} />
            ))}
          </TableBody>
        ))}
        {own && (
          <TableBody className={GROUP}>
            <ProvenTableRow axis={axis} entry={own} rank={own.provisional ? NO_RANK : ownRankText(own)} />
          </TableBody>
        )}
      </Table>
    </>
  )
}

/** Without a box of its own, so that one's own row stays in sight along the whole list. */
const GROUP = 'contents lined:contents'
const NO_RANK = 'You are not ranked yet'

/** The heading of a class, over all columns. */
function ClassRow({ name }: { name: ProvenClass }) {
  const { heading, reason } = CLASS_WORDS[name]
  return (
    <TableRow className="lined:block lined:py-0">
      <TableHead
        scope="rowgroup"
        colSpan={4}
        className="h-auto pt-6 pb-2 font-normal whitespace-normal lined:block lined:px-0"
      >
        <span className="mr-2 font-semibold text-foreground">{heading}</span>
        <span className="lined:block">{reason}</span>
      </TableHead>
    </TableRow>
  )
}

type ProvenTableRowProps = {
  axis: ProvenAxis
  entry: ProvenEntry
  /** In words, of a row that is not at its place in the list. */
  rank?: string
}

function ProvenTableRow({ axis, entry, rank }: ProvenTableRowProps) {
  const { provisional, username, isSelf = false } = entry
  return (
    <TraderRow
      username={username}
      isSelf={isSelf}
      className={cn(LINES, provisional && '[counter-increment:none]')}
    >
      <TableCell className={cn(CELL, 'lined:order-1', provisional && 'text-muted-foreground')}>
        <RankedName
          username={username}
          isSelf={isSelf}
          isBeyond={rank !== undefined}
          isUnranked={provisional}
        />
      </TableCell>
      <TableCell className={COUNTS_CELL}>
        {rank && <span className="block text-foreground">{rank}</span>}
        <Counts {...entry} />
      </TableCell>
      <TableCell className={BAR_CELL}>
        <IntervalBar axis={axis} entry={entry} />
      </TableCell>
      <TableCell className={RANGE_CELL}>
        <Interval {...entry} />
      </TableCell>
    </TraderRow>
  )
}

/** The middle first; its ends are as certain as the bar. */
function Interval({ high, low, middle, provisional }: ProvenEntry) {
  return (
    <span className="inline-flex flex-col items-end tabular-nums">
      <span
        className={provisional ? 'text-muted-foreground' : 'font-semibold'}
      >{`about ${estimate(middle)}%`}</span>
      <span className="text-[0.8125rem] leading-4.5 text-muted-foreground lined:text-xs lined:whitespace-normal">
        {`between ${estimate(low)} and ${estimate(high)}`}
      </span>
    </span>
  )
}

function Counts({ closed, open, overdue }: ProvenEntry) {
  return (
    <>
      <span className="block whitespace-nowrap">{`${closed} closed · ${open} open`}</span>
      {overdue > 0 && (
        <span className="mt-0.5 inline-block rounded-sm bg-warning-muted px-1.5 text-xs leading-4.5 font-medium whitespace-nowrap text-warning">
          {`${overdue} overdue`}
        </span>
      )}
    </>
  )
}

const COLOURS: Readonly<Record<ProvenClass, { bar: string; dot: string }>> = {
  above: { bar: 'fill-primary/40', dot: 'fill-primary' },
  apart: { bar: 'fill-muted-foreground/35', dot: 'fill-muted-foreground' },
  below: { bar: 'fill-destructive/35', dot: 'fill-destructive' },
  provisional: { bar: 'fill-muted-foreground/20', dot: 'fill-muted-foreground/50' },
}

/** From the low end to the high one with a dot at the middle, and the line of zero; the words beside it have the same content. */
function IntervalBar({ axis, entry }: { axis: ProvenAxis; entry: ProvenEntry }) {
  const place = (value: string) => placeOn(axis, Number(value))
  const zero = `${placeOn(axis, 0)}%`
  const { bar, dot } = COLOURS[classOf(entry)]
  return (
    <svg aria-hidden="true" className="block h-6 w-full overflow-visible lined:h-5">
      <line x1={zero} x2={zero} y1="-16" y2="40" className="stroke-border lined:hidden" />
      <line x1={zero} x2={zero} y1="0" y2="100%" className="hidden stroke-muted-foreground lined:inline" />
      {/* A bar that is longer than the axis is cut off by this inner image. */}
      <svg role="presentation" width="100%" height="100%">
        <rect
          x={`${place(entry.low)}%`}
          width={`${place(entry.high) - place(entry.low)}%`}
          y="50%"
          height="6"
          rx="3"
          transform="translate(0 -3)"
          className={bar}
        />
      </svg>
      <circle cx={`${place(entry.middle)}%`} cy="50%" r="4.5" className={dot} />
    </svg>
  )
}

function ProvenHeader({ axis }: { axis: ProvenAxis | null }) {
  return (
    <TableHeader>
      <TableRow>
        <TableHead className="pl-[5.375rem]">Trader</TableHead>
        <TableHead>Positions</TableHead>
        <TableHead>
          <span className="sr-only">Interval, drawn</span>
          {axis && (
            <svg aria-hidden="true" className="block h-4 w-full overflow-visible text-xs">
              <text x={`${placeOn(axis, 0)}%`} y="12" textAnchor="middle" className="fill-muted-foreground">
                0%
              </text>
            </svg>
          )}
        </TableHead>
        <TableHead className="text-right">Over the index</TableHead>
      </TableRow>
    </TableHeader>
  )
}

const SKELETON_ROWS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']

/** The table while it loads, in its final shape. */
export function ProvenSkeleton() {
  return (
    <div role="status" aria-label="Loading the Proven list" aria-busy="true">
      <Table data-lines aria-hidden="true">
        <ProvenHeader axis={null} />
        <TableBody className="lined:block">
          <TableRow className="lined:block lined:py-0">
            <TableCell colSpan={4} className="pt-6 pb-2 lined:block lined:px-0">
              <Skeleton className="my-0.5 h-4 w-64" />
            </TableCell>
          </TableRow>
          {SKELETON_ROWS.map((row) => (
            <TableRow key={row} className={LINES}>
              <TableCell className={cn(CELL, 'lined:order-1')}>
                <Skeleton className="my-1.5 ml-[4.625rem] h-4 w-28 lined:my-3.5" />
              </TableCell>
              <TableCell className={COUNTS_CELL}>
                <Skeleton className="h-4 w-24" />
              </TableCell>
              <TableCell className={BAR_CELL}>
                <Skeleton className="my-1 h-4 w-full" />
              </TableCell>
              <TableCell className={RANGE_CELL}>
                <Skeleton className="ml-auto h-4 w-28" />
              </TableCell>
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </div>
  )
}
