import type { PushTrader } from '@tradepost/contract/push'
import { useId } from 'react'
import { Switch } from '../../ui/switch.tsx'
import { usePushSwitch } from './push.api.ts'

/** About whom notifications come, on all devices. */
export function PushTraders({ traders }: { traders: readonly PushTrader[] }) {
  const title = useId()
  if (traders.length === 0) return null
  return (
    <section aria-labelledby={title} className="space-y-1 border-t border-border pt-4">
      <h4 id={title} className="text-sm font-medium">
        Traders
      </h4>
      <ul>
        {traders.map((trader) => (
          <TraderRow key={trader.id} trader={trader} />
        ))}
      </ul>
    </section>
  )
}

function TraderRow({ trader }: { trader: PushTrader }) {
  const { id, pushEnabled, username } = trader
  const { mutate } = usePushSwitch(id)
  const name = useId()
  return (
    <li className="flex min-h-11 items-center justify-between gap-4">
      <label htmlFor={name} className="min-w-0 wrap-anywhere">
        {`@${username}`}
      </label>
      <Switch id={name} checked={pushEnabled} onCheckedChange={(enabled) => mutate(enabled)} />
    </li>
  )
}
