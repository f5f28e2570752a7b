import { Skeleton } from '../../ui/skeleton.tsx'
import { WithAside } from '../../ui/with-aside.tsx'

/** The form of /trade and what stands beside it while the account loads, in their final shape. */
export function TradeSkeleton() {
  return (
    <WithAside
      label="Before it goes out"
      aside={
        <div aria-hidden="true" className="space-y-6">
          <Skeleton className="h-[15.625rem]" />
          <Skeleton className="h-[12.125rem]" />
        </div>
      }
    >
      <div role="status" aria-label="Loading" aria-busy="true" className="space-y-5">
        <FieldSkeleton field="h-11 sm:h-10" after="mb-18 sm:mb-16" />
        <FieldSkeleton field="h-24 sm:h-10" />
        <FieldSkeleton field="h-11 sm:h-10" after="mb-12" />
        <FieldSkeleton field="h-28" after="mb-[3.375rem]" />
        <div className="py-1">
          <Skeleton className="h-12 w-full max-w-md sm:h-6" />
        </div>
        <Skeleton className="mb-8 h-12 w-full sm:mb-0 sm:w-40" />
      </div>
    </WithAside>
  )
}

function FieldSkeleton({ field, after = '' }: { field: string; after?: string }) {
  return (
    <div className={`space-y-2 ${after}`}>
      <Skeleton className="h-5 w-24" />
      <Skeleton className={field} />
    </div>
  )
}
