import { TRIAL_DAYS, type TrialDays } from '@tradepost/contract/trial'
import { useId } from 'react'
import { cn } from '../../ui/cn.ts'

type TrialChoiceProps = {
  /** The free days that new followers are offered; null for none. */
  value: TrialDays | null
  onChange: (days: TrialDays | null) => void
}

const CHOICES: readonly { days: TrialDays | null; text: string }[] = [
  { days: null, text: 'None' },
  ...TRIAL_DAYS.map((days) => ({ days, text: `${days} days` })),
]

/** The free days that a trader offers before the first payment (rule G-123). */
export function TrialChoice({ onChange, value }: TrialChoiceProps) {
  const id = useId()
  return (
    <fieldset aria-describedby={`${id}-hint`} className="space-y-2">
      <legend className="text-sm font-medium">Free days for new followers</legend>
      <div className="flex flex-wrap gap-2">
        {CHOICES.map(({ days, text }) => (
          <label
            key={text}
            className={cn(
              'flex min-h-11 cursor-pointer items-center gap-2 rounded-lg border border-border px-3 text-sm sm:min-h-9',
              'has-[:checked]:border-foreground has-[:focus-visible]:ring-2 has-[:focus-visible]:ring-ring',
            )}
          >
            <input
              type="radio"
              name={id}
              checked={days === value}
              className="size-4 shrink-0 accent-foreground outline-none"
              onChange={() => onChange(days)}
            />
            <span>{text}</span>
          </label>
        ))}
      </div>
      <p id={`${id}-hint`} className="text-sm text-muted-foreground">
        They give a card first, see everything, and pay once the days are over. Nobody gets a second trial
        with you.
      </p>
    </fieldset>
  )
}
