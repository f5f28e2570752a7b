import { useQuery } from '@tanstack/react-query'
import type { TrackRange } from '@tradepost/contract/track-record'
import type { TraderProfile } from '@tradepost/contract/traders'
import { useState } from 'react'
import { messageOf } from '../../lib/api-refusal.ts'
import { usePart } from '../../lib/use-part.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorPanel } from '../../ui/error-panel.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { monthsMinHeight, TRACK_MIN_HEIGHT } from './trader-skeleton.tsx'
import { trackRecordQuery } from './traders.api.ts'

/** With the library that draws; the answer is asked for meanwhile. */
const loadDrawing = () => import('./track-record.tsx')

type TrackRecordCardProps = { username: string; profile: TraderProfile; now: Date }

/** The curve of a profile, and its months (ADR 0054); nothing before the first position. */
export function TrackRecordCard({ username, profile, now }: TrackRecordCardProps) {
  const [range, setRange] = useState<TrackRange>('1y')
  const track = useQuery(trackRecordQuery(username, range))
  const { code, failed, retry } = usePart(loadDrawing, true)
  const { data, error, isError } = track
  const monthsPlace = monthsMinHeight(profile.since, now)
  if (profile.openPositions + profile.closedPositions === 0) return null
  if (failed && !code)
    return (
      <ErrorPanel message="The curve could not be loaded." onRetry={retry} className={TRACK_MIN_HEIGHT} />
    )
  if (data === undefined && isError)
    return (
      <ErrorPanel
        message={messageOf(error)}
        onRetry={() => void track.refetch()}
        retrying={track.isFetching}
        className={TRACK_MIN_HEIGHT}
      />
    )
  if (data === undefined || !code)
    return (
      <div role="status" aria-label="Loading the curve" aria-busy="true" className="space-y-8">
        <Skeleton className={`${TRACK_MIN_HEIGHT} rounded-xl`} />
        <Skeleton className={`${monthsPlace} rounded-xl`} />
      </div>
    )
  return (
    <div className="space-y-8">
      <code.TrackRecordSection
        username={username}
        isSelf={profile.isSelf}
        closed={profile.record?.closed ?? profile.closedPositions}
        track={data}
        range={range}
        onRange={setRange}
        isStale={track.isPlaceholderData}
        failure={
          isError && (
            <p role="alert" className="text-sm text-destructive">
              <span>{`${messageOf(error)} `}</span>
              <Button variant="link" size="sm" onClick={() => void track.refetch()}>
                Try again
              </Button>
            </p>
          )
        }
      />
      <code.TrackMonths username={username} track={data} place={monthsPlace} />
    </div>
  )
}
