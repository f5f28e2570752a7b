import { TRACK_RANGES, type TrackRange, type TrackRecord } from '@tradepost/contract/track-record'
import { type ReactNode, useId, useState } from 'react'
import { cn } from '../../ui/cn.ts'
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
import { Tabs, TabsContent, TabsList, TabsTrigger } from '../../ui/tabs.tsx'
import { formatSession } from './record-text.ts'
import { TrackChart } from './track-chart.tsx'
import { periodsOf, sentenceOf } from './track-words.ts'
import { TRACK_MIN_HEIGHT } from './trader-skeleton.tsx'

const RANGE_LABELS: Readonly<Record<TrackRange, string>> = { '3m': '3M', '1y': '1Y', all: 'All' }
const RANGE_NAMES: Readonly<Record<TrackRange, string>> = {
  '3m': 'three months',
  '1y': 'one year',
  all: 'all that is known',
}

type TrackRecordSectionProps = {
  username: string
  isSelf: boolean
  track: TrackRecord
  range: TrackRange
  onRange: (range: TrackRange) => void
  /** The range before is shown until the chosen one is there. */
  isStale: boolean
  failure: ReactNode
}

export function TrackRecordSection(props: TrackRecordSectionProps) {
  const { username, track, range, onRange, isStale, failure } = props
  const id = useId()
  const sentence = sentenceOf(track)
  return (
    <section
      aria-labelledby={id}
      className={cn('rounded-xl border border-border bg-card p-4 sm:p-5', TRACK_MIN_HEIGHT)}
    >
      <Tabs value={range} onValueChange={(value) => onRange(value as TrackRange)} className="space-y-3">
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
          <h2 id={id} className="text-lg font-semibold tracking-tight">
            Track record
          </h2>
          <TabsList aria-label="Range of the curve">
            {TRACK_RANGES.map((one) => (
              <TabsTrigger
                key={one}
                value={one}
                aria-label={`${RANGE_LABELS[one]}, ${RANGE_NAMES[one]}`}
                className="h-11 sm:h-8"
              >
                {RANGE_LABELS[one]}
              </TabsTrigger>
            ))}
          </TabsList>
        </div>
        <TabsContent value={range} aria-busy={isStale || undefined} className="space-y-3">
          {failure}
          {sentence === null ? (
            <NoCurve {...props} />
          ) : (
            <>
              <Legend username={username} indexSymbol={track.indexSymbol} />
              <div className={cn('transition-opacity', isStale && 'opacity-50')}>
                <TrackChart track={track} username={username} />
              </div>
              <Figures track={track} />
              <p className="text-sm text-muted-foreground">{sentence}</p>
              <WhatCounts {...props} />
              <AsTable track={track} range={range} />
            </>
          )}
        </TabsContent>
      </Tabs>
    </section>
  )
}

function Legend({ username, indexSymbol }: { username: string; indexSymbol: string }) {
  const items = [
    {
      name: `${username}, equal stakes`,
      drawn: <path d="M0 6H20" strokeWidth="2" className="stroke-primary" />,
    },
    {
      name: indexSymbol,
      drawn: <path d="M0 6H20" strokeWidth="1.5" strokeDasharray="4 3" className="stroke-muted-foreground" />,
    },
    { name: 'below its peak', drawn: <path d="M0 0H20V12H0Z" className="fill-destructive/15" /> },
    {
      name: 'closed with a gain, a loss',
      drawn: (
        <g strokeWidth="1.5">
          <path d="M6 5.5V0" className="stroke-primary" />
          <path d="M14 6.5V12" className="stroke-destructive" />
          <path d="M0 6H20" className="stroke-border" />
        </g>
      ),
    },
  ]
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted-foreground" aria-hidden="true">
      {items.map(({ name, drawn }) => (
        <li key={name} className="flex items-center gap-1.5">
          <svg role="presentation" width="20" height="12" viewBox="0 0 20 12">
            {drawn}
          </svg>
          {name}
        </li>
      ))}
    </ul>
  )
}

function Figures({ track }: { track: TrackRecord }) {
  const { versusIndex, drawdown, allIn, indexSymbol } = track
  return (
    <dl className="grid gap-x-6 gap-y-3 border-t border-border pt-3 sm:grid-cols-3">
      <Figure
        name={`Against ${indexSymbol}`}
        note={
          versusIndex === null
            ? 'no close with the index beside it'
            : `a position, mean of ${versusIndex.positions}${versusIndex.missing > 0 ? `; ${versusIndex.missing} without the index` : ''}`
        }
      >
        {versusIndex && <Gain value={versusIndex.mean} />}
      </Figure>
      <Figure name="All in" note={allIn === null ? 'no position yet' : allInNote(allIn)}>
        {allIn && <Gain value={allIn.mean} />}
      </Figure>
      <Figure
        name="Deepest fall"
        note={
          drawdown === null
            ? 'from 20 days with positions on'
            : drawdown.fall === 0
              ? 'in this range'
              : `${formatSession(drawdown.from)} to ${formatSession(drawdown.to)}`
        }
      >
        {drawdown && <Gain value={drawdown.fall} />}
      </Figure>
    </dl>
  )
}

function allInNote({ closed, open, stale }: NonNullable<TrackRecord['allIn']>): string {
  const parts = [`mean of ${closed} closed`, open > 0 && `${open} open`].filter(Boolean).join(' and ')
  return stale > 0 ? `${parts}; ${stale} at an old price` : parts
}

function Figure({ name, note, children }: { name: string; note: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-sm text-muted-foreground">{name}</dt>
      <dd className="mt-0.5 tabular-nums">
        {children} <span className="text-sm text-muted-foreground">{note}</span>
      </dd>
    </div>
  )
}

/** What is in the curve and what is not. */
function WhatCounts({ track, isSelf }: TrackRecordSectionProps) {
  const { withOpen, closedBefore, closes, moreCloses, days } = track
  const open = isSelf
    ? 'Your open positions count from the beginning. Others see one once it is closed, or past its plan (“6+ months”: after a year).'
    : withOpen
      ? 'Open positions count, since you follow their trader.'
      : 'An open position counts once it is closed, or past its plan (“6+ months”: after a year).'
  return (
    <p className="text-sm text-muted-foreground">
      {open}
      {closedBefore > 0 &&
        ` ${closedBefore === 1 ? 'One position was' : `${closedBefore} positions were`} closed before ${formatSession(days[0]?.day ?? '')}, the first day with known prices, and not in the curve.`}
      {moreCloses > 0 && ` The newest ${closes.length} closes are marked.`}
    </p>
  )
}

function NoCurve({ track, isSelf }: TrackRecordSectionProps) {
  const { asOf, closedBefore, withOpen } = track
  const reason =
    asOf === null
      ? 'The curve is drawn from the prices at the end of each session, every night. There is none yet.'
      : closedBefore > 0
        ? 'No prices are known of the days of these positions. The curve begins with the next one.'
        : withOpen
          ? `The curve begins the night after ${isSelf ? 'your' : 'the'} first session with a position of this range.`
          : 'No position of this range is closed yet. An open one counts once it is closed, or past its plan.'
  return (
    <p className="flex min-h-55 items-center justify-center rounded-lg border border-dashed border-border px-6 text-center text-sm text-muted-foreground">
      {reason}
    </p>
  )
}

function AsTable({ track, range }: { track: TrackRecord; range: TrackRange }) {
  const [open, setOpen] = useState(false)
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="inline-flex min-h-11 cursor-pointer items-center rounded-sm text-sm font-medium underline-offset-4 outline-none hover:underline focus-visible:ring-2 focus-visible:ring-ring sm:min-h-8">
        {open ? 'Hide the table' : 'Show as a table'}
      </summary>
      {open && (
        <Table data-lines className="mt-2">
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
                <TableCell>
                  {from === to ? formatSession(to) : `${formatSession(from)} – ${formatSession(to)}`}
                </TableCell>
                <TableCell className="text-right">
                  <Gain value={level} />
                </TableCell>
                <TableCell className="text-right">
                  <Gain value={index} />
                </TableCell>
                <TableCell className="text-sm text-muted-foreground">{closed}</TableCell>
              </TableRow>
            ))}
          </TableBody>
        </Table>
      )}
    </details>
  )
}
