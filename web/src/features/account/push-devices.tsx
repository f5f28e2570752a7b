import type { PushDevice } from '@tradepost/contract/push'
import { useId } from 'react'
import { messageOf } from '../../lib/api-refusal.ts'
import { formatDate, formatTime } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { FieldError } from '../../ui/field-error.tsx'
import { useTurnOff } from './push.api.ts'

type PushDevicesProps = {
  /** All but this one. */
  devices: readonly PushDevice[]
  /** A row has gone, with the button that had the focus. */
  onGone: () => void
}

/** Where else the person has turned notifications on. */
export function PushDevices({ devices, onGone }: PushDevicesProps) {
  const title = useId()
  if (devices.length === 0) return null
  return (
    <section aria-labelledby={title} className="space-y-3 border-t border-border pt-4">
      <h4 id={title} className="text-sm font-medium">
        Other devices
      </h4>
      <ul className="space-y-4">
        {devices.map((device) => (
          <DeviceRow key={device.id} device={device} onGone={onGone} />
        ))}
      </ul>
    </section>
  )
}

function DeviceRow({ device, onGone }: { device: PushDevice; onGone: () => void }) {
  const { failingSince, since } = device
  const { mutate, isPending, error } = useTurnOff(onGone)
  const name = useId()
  return (
    <li className="flex items-center justify-between gap-4">
      <div className="min-w-0 space-y-0.5 text-sm text-muted-foreground">
        <p id={name} className="text-[0.9375rem] text-foreground">
          {device.device}
        </p>
        <p>{`On since ${formatDate(since)}`}</p>
        {failingSince !== null && (
          <p className="text-destructive">{`Not reached since ${formatTime(failingSince)}`}</p>
        )}
        <FieldError>{error && messageOf(error)}</FieldError>
      </div>
      <Button
        variant="outline"
        size="sm"
        className="shrink-0"
        aria-describedby={name}
        loading={isPending}
        onClick={() => mutate(device)}
      >
        Remove
      </Button>
    </li>
  )
}
