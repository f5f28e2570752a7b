import { useId } from 'react'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Switch } from '../../ui/switch.tsx'
import { usePositionMailsSwitch } from './position-mails.api.ts'

type PositionMailsSwitchProps = {
  isOn: boolean
  /** The id of the sentence below it, which is the reason of the traders' switches while it is off. */
  explanation: string
}

/** Whether mails about positions come at all, of whichever trader (rule G-120); above the switches of the traders. */
export function PositionMailsSwitch({ isOn, explanation }: PositionMailsSwitchProps) {
  const { mutate } = usePositionMailsSwitch()
  const title = useId()
  return (
    <div>
      <div className="flex min-h-11 items-center justify-between gap-4 sm:min-h-6">
        <p id={title} className="text-sm font-medium">
          All mails about positions
        </p>
        <Switch
          aria-labelledby={title}
          aria-describedby={explanation}
          checked={isOn}
          onCheckedChange={(enabled) => mutate(enabled)}
        />
      </div>
      {/* Its two lines have room in either state, so that the table stays where it is. */}
      <p id={explanation} className="min-h-10 max-w-prose text-sm text-muted-foreground max-sm:min-h-15">
        {isOn
          ? 'Each open and close of the traders below, as far as their own switch is on.'
          : 'Switched off for all traders, also for those whom you follow later. Subscriptions, notifications and mails about payments go on.'}
      </p>
    </div>
  )
}

/** Its place while the subscriptions load. */
export function PositionMailsSkeleton() {
  return (
    <div aria-hidden="true" className="mb-4 min-h-26 sm:min-h-16">
      <div className="flex min-h-11 items-center justify-between gap-4 sm:min-h-6">
        <Skeleton className="h-4 w-44" />
        <Skeleton className="h-6 w-10 rounded-full" />
      </div>
      <Skeleton className="h-4 w-3/4" />
    </div>
  )
}
