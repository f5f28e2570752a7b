import { useQuery } from '@tanstack/react-query'
import { Switch } from '../../ui/switch.tsx'
import { followingQuery, useRenewalMailSwitch } from './following.api.ts'

/** Whether a mail with what following has brought comes the day before a renewal (rule G-110). */
export function RenewalMailSwitch() {
  const { data } = useQuery(followingQuery)
  const { mutate } = useRenewalMailSwitch()
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the switch is an input
    <label className="flex min-h-11 items-center justify-between gap-4">
      <span>
        <span className="block text-sm font-medium">Mail me the day before a renewal</span>
        <span className="block text-sm text-muted-foreground">With what each trader has brought you.</span>
      </span>
      <Switch
        checked={data?.renewalMail ?? true}
        disabled={data === undefined}
        onCheckedChange={(enabled) => mutate(enabled)}
      />
    </label>
  )
}
