import { cn } from '../../ui/cn.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { statGrid, statHeight } from '../../ui/stat-card.tsx'

/** How high the card with the curve is at least, for what stands in its place while it loads. */
export const TRACK_MIN_HEIGHT = 'min-h-[48.5rem] sm:min-h-[37.25rem] xl:min-h-[34.5rem]'

/** The figures of a profile while it loads, in their final shape, under the name that is known already. */
export function StatsSkeleton() {
  return (
    <div role="status" aria-label="Loading the profile" aria-busy="true" className="space-y-8">
      <div className={statGrid}>
        <Skeleton className={cn(statHeight, 'rounded-xl')} />
        <Skeleton className={cn(statHeight, 'rounded-xl')} />
        <Skeleton className={cn(statHeight, 'rounded-xl')} />
      </div>
      <Skeleton className="h-50.5 rounded-xl sm:h-35 xl:h-19.5" />
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
