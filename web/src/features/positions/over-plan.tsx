import { daysOverPlan } from '@tradepost/contract/hold-length'
import type { Position } from '@tradepost/contract/positions'
import { cn } from '../../ui/cn.ts'

/** For how many days a position is past its declared hold; 0 while it is not. */
export function daysOver({ openedAt, holdLength }: Position, now: Date): number {
  return daysOverPlan({ openedAt: new Date(openedAt), holdLength }, now)
}

type OverPlanProps = {
  days: number
  /** In a row of two lines, where a long ticker leaves no room for the words. */
  besideLong?: boolean
  className?: string
}

/** Says that a position is past its declared hold (decision 0037); nothing while it is not. */
export function OverPlan({ days, besideLong = false, className }: OverPlanProps) {
  if (days === 0) return null
  return (
    <span
      data-slot="over-plan"
      className={cn(
        'block w-fit rounded-sm bg-warning-muted px-1.5 text-xs leading-4.5 font-medium whitespace-nowrap text-warning',
        className,
      )}
    >
      <span className={besideLong ? 'lined:sr-only' : 'lined:max-[26.25rem]:sr-only'}>
        {`${days} ${days === 1 ? 'day' : 'days'} over plan`}
      </span>
      <span
        aria-hidden="true"
        className={cn('hidden', besideLong ? 'lined:inline' : 'lined:max-[26.25rem]:inline')}
      >
        {`+${days} d`}
      </span>
    </span>
  )
}
