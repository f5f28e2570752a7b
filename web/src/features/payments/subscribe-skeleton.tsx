import { Skeleton } from '../../ui/skeleton.tsx'

/** The offer while it loads, in its final shape. */
export function SubscribeSkeleton() {
  return (
    <div
      role="status"
      aria-label="Loading the subscription"
      aria-busy="true"
      className="max-w-120 space-y-5 rounded-xl border border-border bg-card p-5"
    >
      <Skeleton className="h-15 w-60 xl:h-5" />
      <Skeleton className="h-9 w-44" />
      <div className="space-y-2.5">
        <Skeleton className="h-5" />
        <Skeleton className="h-5 w-11/12" />
        <Skeleton className="h-5" />
      </div>
      <Skeleton className="h-12" />
    </div>
  )
}
