import type { PushAnswer, PushDevice } from '@tradepost/contract/push'
import { messageOf } from '../../lib/api-refusal.ts'
import { formatTime } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { FieldError } from '../../ui/field-error.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { usePushHere, useTurnOff, useTurnOn } from './push.api.ts'

/** How it stands with this browser, and what can be done about it. */
export function PushHereState({ push, onGone }: { push: PushAnswer; onGone: () => void }) {
  const here = usePushHere()
  const device = push.devices.find(({ current }) => current)
  if (here === undefined) return <Skeleton className="h-11 sm:h-9" />
  if (here === 'unsupported') return <Unsupported />
  if (here === 'denied') return <Denied />
  if (here === 'subscribed' && device)
    return <On device={device} publicKey={push.publicKey} onGone={onGone} />
  return <Off publicKey={push.publicKey} />
}

function Unsupported() {
  return (
    <p className="text-muted-foreground">
      This browser cannot show notifications. On an iPhone or iPad, add Tradepost to the Home Screen first and
      open it there.
    </p>
  )
}

function Denied() {
  return (
    <p className="text-muted-foreground">
      Notifications of this site are blocked in your browser. Allow them in its settings for this site, then
      come back.
    </p>
  )
}

function Off({ publicKey }: { publicKey: string }) {
  const { failure, isPending, turnOn } = useTurnOn(publicKey)
  return (
    <div className="space-y-2">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <p>Off on this device.</p>
        <Button size="sm" loading={isPending} onClick={turnOn}>
          Turn on notifications
        </Button>
      </div>
      <FieldError>{failure}</FieldError>
    </div>
  )
}

type OnProps = { device: PushDevice; publicKey: string; onGone: () => void }

function On({ device, publicKey, onGone }: OnProps) {
  const off = useTurnOff(onGone)
  const again = useTurnOn(publicKey)
  const { failingSince } = device
  return (
    <div className="space-y-2">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        {failingSince === null ? (
          <p>On for this device.</p>
        ) : (
          <p className="min-w-0 flex-1 basis-64 text-destructive">
            {`This device has not been reached since ${formatTime(failingSince)}.`}
          </p>
        )}
        <div className="flex flex-wrap gap-2">
          {failingSince !== null && (
            <Button size="sm" loading={again.isPending} onClick={again.turnOn}>
              Turn on again
            </Button>
          )}
          <Button variant="outline" size="sm" loading={off.isPending} onClick={() => off.mutate(device)}>
            Turn off
          </Button>
        </div>
      </div>
      <FieldError>{again.failure ?? (off.error && messageOf(off.error))}</FieldError>
    </div>
  )
}
