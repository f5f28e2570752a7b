import { Skeleton } from '../../ui/skeleton.tsx'

/** A day with some items while they load. */
export function ActivitySkeleton() {
  return (
    <div role="status" aria-label="Loading your activity" aria-busy="true" className="space-y-3">
      <Skeleton className="h-5 w-24" />
      <Skeleton className="h-40 rounded-xl" />
      <Skeleton className="h-40 rounded-xl" />
      <Skeleton className="h-40 rounded-xl" />
    </div>
  )
}
