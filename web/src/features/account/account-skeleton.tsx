import { Skeleton } from '../../ui/skeleton.tsx'

/** The sections while the account loads. */
export function AccountSkeleton() {
  return (
    <div role="status" aria-label="Loading your account" aria-busy="true" className="space-y-6">
      <Skeleton className="h-220 rounded-xl sm:h-178" />
      <Skeleton className="h-80 rounded-xl" />
      <Skeleton className="h-32 rounded-xl" />
      <Skeleton className="h-91 rounded-xl sm:h-85" />
    </div>
  )
}
