import { isHoldLength } from '@tradepost/contract/hold-length'
import { publicAt } from '@tradepost/contract/kept-plan'
import type { Position } from '@tradepost/contract/positions'
import { formatAge, formatDay } from '../../lib/format.ts'
import { cn } from '../../ui/cn.ts'

/**
 * `public from Dec 3` of an active position within its plan, `public since Dec 3` of one past it. No day where that is not known: of a
 * hold length of a newer version.
 */
type Publicity = {
  day: string | null
  isPublic: boolean
  /** For how long it is past its plan, in short: `5 d`. Null within it, and in the first minute. */
  over: string | null
}

/** From when on everybody is shown a position while it is open, by the viewer's day (rule G-16). */
export function publicityOf(position: Position, now: Date): Publicity {
  const at = publicInstant(position)
  if (!at) return { day: null, isPublic: false, over: null }
  const iso = at.toISOString()
  return { day: formatDay(iso, now), isPublic: at <= now, over: formatAge(iso, now) }
}

/** A message about an opening may come without the field: then the rule gives the instant. */
function publicInstant({ holdLength, openedAt, publicAt: stored }: Position): Date | null {
  if (stored !== undefined) return new Date(stored)
  return isHoldLength(holdLength) ? publicAt({ openedAt: new Date(openedAt), holdLength }) : null
}

type PublicFromProps = Publicity & {
  /** In a row of two lines, where a long ticker leaves no room for the words. */
  besideLong?: boolean
  className?: string
}

/**
 * In a row. On a phone it is shown past the plan alone, in the company's place and as how long ago that was; screen readers and the window
 * have the day for all.
 */
export function PublicFrom({ day, isPublic, over, besideLong = false, className }: PublicFromProps) {
  if (day === null) return null
  if (!isPublic)
    return (
      <span
        data-slot="public-from"
        className="block text-xs leading-4.5 whitespace-nowrap text-muted-foreground md:max-lg:whitespace-normal lined:sr-only"
      >
        {`public from ${day}`}
      </span>
    )
  return (
    <span data-slot="public-since" className={cn(BADGE, 'lined:max-[30rem]:px-1', className)}>
      <span
        className={besideLong ? 'lined:sr-only' : 'lined:max-[30rem]:sr-only'}
      >{`public since ${day}`}</span>
      <span
        aria-hidden="true"
        className={cn('hidden', besideLong ? 'lined:inline' : 'lined:max-[30rem]:inline')}
      >
        {besideLong || over === null ? 'public' : `${over} over plan`}
      </span>
    </span>
  )
}

/** A label in the colour of a warning. */
export const BADGE =
  'block w-fit rounded-sm bg-warning-muted px-1.5 text-xs leading-4.5 font-medium whitespace-nowrap text-warning'
