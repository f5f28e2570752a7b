import { cn } from '../../ui/cn.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { statGrid, statHeight } from '../../ui/stat-card.tsx'
import { heroHeight } from './average-hero.tsx'

/** How high the card with the curve is at least, for what stands in its place while it loads. */
export const TRACK_MIN_HEIGHT = 'min-h-[48.5rem] sm:min-h-[37.25rem] xl:min-h-[34.5rem]'

/** Years whose months are shown at once. */
export const SHOWN_YEARS = 2

const ONE_YEAR = 'min-h-[19.5rem] sm:min-h-60 lg:min-h-[11.5rem]'
const TWO_YEARS = 'min-h-[32.25rem] sm:min-h-[24.25rem] lg:min-h-[17rem]'
const MORE_YEARS = 'min-h-[36rem] sm:min-h-[27rem] lg:min-h-[19.75rem]'

/** How high the card with the months is at least. @param since the day of the first position @param now the server's time */
export function monthsMinHeight(since: string | null | undefined, now: Date): string {
  const years = since == null ? 1 : now.getUTCFullYear() - Number(since.slice(0, 4)) + 1
  if (years <= 1) return ONE_YEAR
  return years > SHOWN_YEARS ? MORE_YEARS : TWO_YEARS
}

/** The figures of a profile while it loads, in their final shape, under the name that is known already. */
export function StatsSkeleton() {
  return (
    <div role="status" aria-label="Loading the profile" aria-busy="true" className="space-y-6">
      <div className={heroHeight}>
        <Skeleton className="h-12 w-64" />
        <Skeleton className="mt-2 h-5 w-72 max-w-full" />
      </div>
      <div className={statGrid}>
        <Skeleton className={cn(statHeight, 'rounded-xl')} />
        <Skeleton className={cn(statHeight, 'rounded-xl')} />
        <Skeleton className={cn(statHeight, 'rounded-xl')} />
      </div>
      <Skeleton className="h-50.5 rounded-xl sm:h-35" />
    </div>
  )
}

/** The card with the curve while the profile loads. */
export function TrackSkeleton() {
  return (
    <div aria-hidden="true">
      <Skeleton className={cn(TRACK_MIN_HEIGHT, 'rounded-xl')} />
    </div>
  )
}

/** The list of a profile while it loads. */
export function RecentSkeleton() {
  return (
    <div aria-hidden="true" className="space-y-3">
      <Skeleton className="h-7 w-40" />
      <Skeleton className="h-64 rounded-xl" />
    </div>
  )
}
