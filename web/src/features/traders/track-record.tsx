import { isLoss } from '@tradepost/contract/gain'
import { TRACK_RANGES, type TrackRange, type TrackRecord } from '@tradepost/contract/track-record'
import { useId } from 'react'
import { cn } from '../../ui/cn.ts'
import type { Elements } from '../../ui/elements.ts'
import { Gain } from '../../ui/gain.tsx'
import { Tabs, TabsContent, TabsList, TabsTrigger } from '../../ui/tabs.tsx'
import { formatSession, pointsText, upToText } from './record-text.ts'
import { TrackChart } from './track-chart.tsx'
import { TrackTable } from './track-table.tsx'
import { sentenceOf } from './track-words.ts'
import { TRACK_MIN_HEIGHT } from './trader-skeleton.tsx'

export { TrackMonths } from './track-months.tsx'

const RANGE_LABELS: Readonly<Record<TrackRange, string>> = { '3m': '3M', '1y': '1Y', all: 'All' }

const RANGE_NAMES: Readonly<Record<TrackRange, string>> = {
  '3m': 'three months',
  '1y': 'one year',
  all: 'all that is known',
}

type TrackRecordSectionProps = {
  username: string
  isSelf: boolean
  /** Positions that are closed at a price by now. */
  closed: number
  track: TrackRecord
  range: TrackRange
  onRange: (range: TrackRange) => void
  /** The range before is shown until the chosen one is there. */
  isStale: boolean
  failure: Elements
}

export function TrackRecordSection(props: TrackRecordSectionProps) {
  const { username, track, range, onRange, isStale, failure } = props
  const id = useId()
  const sentence = sentenceOf(track)
  return (
    <section
      aria-labelledby={id}
      className={cn('flex flex-col rounded-xl border border-border bg-card p-4 sm:p-5', TRACK_MIN_HEIGHT)}
    >
      <Tabs
        value={range}
        onValueChange={(value) => onRange(value as TrackRange)}
        className="flex flex-1 flex-col space-y-3"
      >
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
        <TabsContent
          value={range}
          aria-busy={isStale || undefined}
          className="flex flex-1 flex-col space-y-3"
        >
          {failure}
          {sentence === null ? (
            <NoCurve {...props} />
          ) : (
            <>
              <TrackLegend username={username} indexSymbol={track.indexSymbol} />
              <div className={cn(isStale && 'opacity-50')}>
                <TrackChart key={range} track={track} username={username} />
              </div>
              <TrackFigures track={track} closed={props.closed} />
              <p className="text-sm text-muted-foreground">{sentence}</p>
              <LeftOut {...props} />
              <TrackTable track={track} range={range} rule={ruleOf(props)} />
            </>
          )}
        </TabsContent>
      </Tabs>
    </section>
  )
}

/** The positions that are not in the curve, or not marked; nothing where all are. */
function LeftOut({ track: { closedBefore, closes, moreCloses, days } }: TrackRecordSectionProps) {
  if (closedBefore === 0 && moreCloses === 0) return null
  const [first] = days
  const before =
    closedBefore > 0 &&
    `${closedBefore === 1 ? 'One position was' : `${closedBefore} positions were`} closed before ${formatSession(first?.day ?? '')}, the first day with known prices, and not in the curve.`
  const marked = moreCloses > 0 && `The newest ${closes.length} closes are marked.`
  return <p className="text-sm text-muted-foreground">{[before, marked].filter(Boolean).join(' ')}</p>
}

/** Which open positions count, and up to when. */
function ruleOf(props: TrackRecordSectionProps): string {
  return `${openRule(props)} Computed every night, so far up to the session of ${formatSession(props.track.asOf ?? '')}. The figures beside ${props.track.indexSymbol} and with open positions are over the whole record, whatever the range.`
}

function openRule({ track, isSelf }: TrackRecordSectionProps): string {
  if (isSelf)
    return 'Your open positions count from the beginning. Others see one once it is closed, or past its plan (“6+ months”: after a year).'
  if (track.withOpen) return 'Open positions count, since you follow their trader.'
  return 'An open position counts once it is closed, or past its plan (“6+ months”: after a year).'
}

function NoCurve({ track, isSelf }: TrackRecordSectionProps) {
  const { asOf, closedBefore, withOpen } = track
  const reason =
    asOf === null
      ? 'The curve is drawn from the prices at the end of each session, every night. There is none yet.'
      : closedBefore > 0
        ? 'The days of these positions are not computed yet, or no prices are known of them.'
        : withOpen
          ? `The curve begins the night after ${isSelf ? 'your' : 'the'} first session with a position of this range.`
          : 'No position of this range is closed yet. An open one counts once it is closed, or past its plan.'
  return (
    <p className="flex-1 rounded-lg border border-dashed border-border px-6 pt-24 text-center text-sm text-muted-foreground">
      {reason}
    </p>
  )
}

/** Below the curve: beside the index, with open positions, and the deepest fall of the range (ADR 0054). */
function TrackFigures({ track, closed }: { track: TrackRecord; closed: number }) {
  const { asOf, versusIndex, drawdown, allIn, indexSymbol } = track
  return (
    <dl className="grid gap-x-6 gap-y-3 border-t border-border pt-3 sm:grid-cols-3">
      <Figure
        name={`Beside ${indexSymbol}`}
        note={
          versusIndex === null
            ? 'no close with the index beside it'
            : `a position, over ${versusIndex.positions} closed${upToText(asOf, { counted: versusIndex.positions + versusIndex.missing, closed })}${versusIndex.missing > 0 ? `; ${versusIndex.missing} without the index` : ''}`
        }
      >
        {versusIndex && (
          <span
            data-slot="points"
            className={cn('font-medium', isLoss(versusIndex.mean) ? 'text-destructive' : 'text-primary')}
          >
            {pointsText(versusIndex.mean)}
          </span>
        )}
      </Figure>
      <Figure
        name="With open ones counted"
        note={allIn === null ? 'no position yet' : allInNote(allIn, track.withOpen)}
      >
        {allIn && <Gain value={allIn.mean} />}
      </Figure>
      <Figure
        name="Deepest fall"
        note={
          drawdown === null
            ? 'shown from 20 days with positions on'
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

/** @param withOpen whether all open positions count, and not only those past their plan */
function allInNote({ closed, open, stale }: NonNullable<TrackRecord['allIn']>, withOpen: boolean): string {
  const pastPlan = open === 1 ? 'past its plan' : 'past their plan'
  const opened = open > 0 && `${open} ${withOpen ? 'open' : pastPlan}`
  const parts = [`mean of ${closed} closed`, opened].filter(Boolean).join(' and ')
  return stale > 0 ? `${parts}; ${stale} at an old price` : parts
}

function Figure({ name, note, children }: { name: string; note: string; children: Elements }) {
  return (
    <div className="min-w-0 max-sm:flex max-sm:justify-between max-sm:gap-4">
      <dt className="text-sm text-muted-foreground max-sm:w-[32%] sm:whitespace-nowrap">{name}</dt>
      <dd className="tabular-nums max-sm:flex-1 max-sm:text-right sm:mt-0.5">
        {children}
        <span className="text-sm text-muted-foreground max-sm:block max-sm:text-[0.8125rem]">{` ${note}`}</span>
      </dd>
    </div>
  )
}

/** The meaning of the lines, the shade and the ticks of a curve; the sentence below explains it to screen readers. */
function TrackLegend({ username, indexSymbol }: { username: string; indexSymbol: string }) {
  const items = [
    {
      name: `${username}, equal stakes`,
      drawn: <path d="M0 6H20" strokeWidth="2" className="stroke-primary" />,
    },
    {
      name: indexSymbol,
      drawn: <path d="M0 6H20" strokeWidth="1.5" strokeDasharray="4 3" className="stroke-muted-foreground" />,
    },
    {
      name: 'below its peak',
      drawn: <path d="M.5.5H19.5V11.5H.5Z" className="fill-destructive/15 stroke-destructive" />,
    },
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
          <span>{name}</span>
        </li>
      ))}
    </ul>
  )
}
