import { Skeleton } from '../../ui/skeleton.tsx'

/** The figures of a profile while it loads, in their final shape, under the name that is known already. */
export function StatsSkeleton() {
  return (
    <div
      role="status"
      aria-label="Loading the profile"
      aria-busy="true"
      className="grid gap-4 sm:grid-cols-3"
    >
      <Skeleton className="h-[5.75rem] rounded-xl" />
      <Skeleton className="h-[5.75rem] rounded-xl" />
      <Skeleton className="h-[5.75rem] rounded-xl" />
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
