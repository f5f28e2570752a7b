import { useQuery } from '@tanstack/react-query'
import { FOLLOWING_RECENT_DAYS, type FollowingResults } from '@tradepost/contract/following'
import { formatGain } from '@tradepost/contract/gain'
import { formatMoney } from '@tradepost/contract/money'
import { messageOf } from '../../lib/api-refusal.ts'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { Gain } from '../../ui/gain.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { followingQuery } from './following.api.ts'

const BOX =
  'flex min-h-28 max-[22.5rem]:min-h-33 flex-col justify-center gap-x-8 gap-y-1 rounded-xl border border-border bg-card px-3 py-2 sm:min-h-22 sm:flex-row sm:items-center sm:justify-start sm:px-5'

/** The results of following for the viewer, above the positions of those whom they follow (rule G-110). */
export function FollowingStrip() {
  const { data, error, isError, refetch } = useQuery(followingQuery)
  if (data) return <Results results={data} />
  if (!isError) return <Skeleton className="h-28 rounded-xl max-[22.5rem]:h-33 sm:h-22" />
  return (
    <div role="alert" className={cn(BOX, 'text-sm')}>
      <p>{messageOf(error)}</p>
      <Button variant="outline" size="sm" className="self-start sm:self-auto" onClick={() => void refetch()}>
        Try again
      </Button>
    </div>
  )
}

function Results({ results }: { results: FollowingResults }) {
  const { mean, recent } = results
  return (
    <section aria-label="What following brought" className={BOX}>
      <div className="flex items-end gap-x-8">
        {mean === null ? (
          <p className="text-lg font-semibold tracking-tight">{nothingYet(results)}</p>
        ) : (
          <Figure label="Since you follow" value={mean} className="text-2xl font-semibold tracking-tight" />
        )}
        {recent.mean !== null && recent.closed < results.closed && (
          <Figure
            label={`Last ${FOLLOWING_RECENT_DAYS} days`}
            value={recent.mean}
            className="text-lg/8 font-semibold"
          />
        )}
      </div>
      <ul className="flex flex-wrap gap-x-3 text-xs/5 text-muted-foreground sm:text-sm">
        {factsOf(results).map((fact) => (
          <li key={fact}>{fact}</li>
        ))}
      </ul>
    </section>
  )
}

function Figure({ label, value, className }: { label: string; value: number; className: string }) {
  return (
    <p>
      <span className="block text-xs text-muted-foreground">{label}</span>
      <Gain value={value} className={className} />
    </p>
  )
}

function nothingYet({ following }: FollowingResults): string {
  return following === 0 ? 'You follow nobody now' : 'Nothing has been closed yet since you follow'
}

/** The figures beside the mean, in words; those that say nothing are left out. */
function factsOf({ closed, costs, fromClose, index, indexSymbol, open, won }: FollowingResults): string[] {
  const paid = costs.map(({ cents, currency }) => formatMoney(cents, currency)).join(' and ')
  const isMean = costs.some(({ ofYears }) => ofYears)
  return [
    closed > 0 && `mean of ${closed} closed`,
    index !== null && `${indexSymbol} ${signed(index)}`,
    closed > 0 && `${won} won`,
    open > 0 && `${open} open`,
    fromClose > 0 && `${fromClose} counted from the day’s close`,
    paid !== '' && `you pay ${paid} a month${isMean ? ' on average' : ''}`,
  ].filter((fact) => fact !== false)
}

function signed(percent: number): string {
  const shown = formatGain(percent)
  return `${percent > 0 && shown !== '0.00' ? '+' : ''}${shown}%`
}
