import { TRACK_RANGES, type TrackRange, type TrackRecord } from '@tradepost/contract/track-record'
import { useId } from 'react'
import { cn } from '../../ui/cn.ts'
import type { Elements } from '../../ui/elements.ts'
import { Tabs, TabsContent, TabsList, TabsTrigger } from '../../ui/tabs.tsx'
import { formatSession } from './record-text.ts'
import { TrackChart } from './track-chart.tsx'
import { TrackFigures } from './track-figures.tsx'
import { TrackLegend } from './track-legend.tsx'
import { TrackTable } from './track-table.tsx'
import { sentenceOf } from './track-words.ts'
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
              <TrackFigures track={track} />
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

/** What is not in the curve though one might think so; nothing where all is. */
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
  return `${openRule(props)} Computed every night; what came after the session of ${formatSession(props.track.asOf ?? '')} is not in it yet. Against ${props.track.indexSymbol} and All in are over all positions, whatever the range.`
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
