import type { DeskTrials as Trials } from '@tradepost/contract/desk'
import { DeskHeading } from './desk-heading.tsx'

/** How the trials stand that followers began with. Nothing before the first one. */
export function DeskTrials({ trials }: { trials: Trials | undefined }) {
  if (trials === undefined) return null
  const { began, ended, free, stayed } = trials
  const owing = began - free - stayed - ended
  return (
    <div className="min-w-0 space-y-2">
      <DeskHeading>Trials</DeskHeading>
      <dl className="flex flex-wrap gap-x-8 gap-y-2">
        <Count name="Began">{began}</Count>
        <Count name="Still free">{free}</Count>
        <Count name="Stayed">{stayed}</Count>
        <Count name="Ended">{ended}</Count>
        {owing > 0 && <Count name="Payment owed">{owing}</Count>}
      </dl>
      <p className="text-sm text-muted-foreground">
        A trial stayed once its first payment went through. It ended where a follower left, or no card could
        be charged.
      </p>
    </div>
  )
}

function Count({ name, children }: { name: string; children: number }) {
  return (
    <div>
      <dt className="text-sm text-muted-foreground">{name}</dt>
      <dd className="text-lg font-semibold tabular-nums">{children}</dd>
    </div>
  )
}
