import { Skeleton } from '../ui/skeleton.tsx'

/** What the content area shows while a screen is on its way: a title and a list. */
export function ScreenSkeleton() {
  return (
    <div aria-busy="true" className="space-y-6">
      <span role="status" className="sr-only">
        Loading
      </span>
      <Skeleton className="h-9 w-44" />
      <div className="space-y-3">
        <Skeleton className="h-12" />
        <Skeleton className="h-12" />
        <Skeleton className="h-12" />
        <Skeleton className="h-12" />
      </div>
    </div>
  )
}
