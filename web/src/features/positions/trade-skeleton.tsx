import { Skeleton } from '../../ui/skeleton.tsx'

/** The form of /trade while the account loads, in its final shape. */
export function TradeSkeleton() {
  return (
    <div role="status" aria-label="Loading" aria-busy="true" className="space-y-5">
      <FieldSkeleton field="h-11 sm:h-10" />
      <FieldSkeleton field="h-24 sm:h-10" />
      <FieldSkeleton field="h-11 sm:h-10" />
      <FieldSkeleton field="h-28" after="mb-[3.375rem]" />
      <div className="py-1">
        <Skeleton className="h-12 w-full max-w-md sm:h-6" />
      </div>
      <Skeleton className="h-12 w-full sm:w-40" />
    </div>
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
