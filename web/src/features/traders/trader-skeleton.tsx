import { Skeleton } from '../../ui/skeleton.tsx'

/** A profile while it loads, in its final shape, under the name that is known already. */
export function TraderSkeleton() {
  return (
    <div role="status" aria-label="Loading the profile" aria-busy="true" className="space-y-8">
      <div className="grid gap-4 sm:grid-cols-3">
        <Skeleton className="h-[5.75rem] rounded-xl" />
        <Skeleton className="h-[5.75rem] rounded-xl" />
        <Skeleton className="h-[5.75rem] rounded-xl" />
      </div>
      <div className="space-y-3">
        <Skeleton className="h-7 w-40" />
        <Skeleton className="h-64 rounded-xl" />
      </div>
    </div>
  )
}
