import { useQuery } from '@tanstack/react-query'
import type { PushAnswer, PushDevice, PushTrader } from '@tradepost/contract/push'
import { useId, useRef } from 'react'
import { messageOf } from '../../lib/api-refusal.ts'
import { formatDate, formatTime } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { FieldError } from '../../ui/field-error.tsx'
import { RefreshFailure } from '../../ui/refresh-failure.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Switch } from '../../ui/switch.tsx'
import { pushQuery, usePushHere, usePushSwitch, useTurnOff, useTurnOn } from './push.api.ts'

/** Account > Subscriptions, its part about notifications: in this browser, on other devices, and about whom (G-101). */
export function NotificationsPart() {
  const part = useRef<HTMLElement>(null)
  return (
    <section
      id="notifications"
      ref={part}
      tabIndex={-1}
      aria-labelledby="notifications-title"
      className="scroll-mt-20 space-y-4 border-t border-border pt-5 outline-none md:scroll-mt-6"
    >
      <div className="space-y-1">
        <h3 id="notifications-title" className="text-sm font-semibold">
          Notifications
        </h3>
        <p className="text-sm text-muted-foreground">
          Each open and close of the traders you follow, on your phone or computer at once. Mails have
          switches of their own.
        </p>
      </div>
      {/* A button goes with its row; the focus stays near. */}
      <Notifications onGone={() => part.current?.focus({ preventScroll: true })} />
    </section>
  )
}

function Notifications({ onGone }: { onGone: () => void }) {
  const { data, error, isError, refetch } = useQuery(pushQuery)
  const failure = isError && <RefreshFailure message={messageOf(error)} onRetry={() => void refetch()} />
  if (data === undefined) {
    if (failure) return failure
    return (
      <div role="status" aria-label="Loading your notifications" aria-busy="true">
        <Skeleton className="h-11 sm:h-9" />
      </div>
    )
  }
  return (
    <div className="space-y-4">
      {failure}
      <Parts push={data} onGone={onGone} />
    </div>
  )
}

function Parts({ push, onGone }: { push: PushAnswer; onGone: () => void }) {
  return (
    <>
      <PushHereState push={push} onGone={onGone} />
      <PushDevices devices={push.devices.filter(({ current }) => !current)} onGone={onGone} />
      {push.devices.length > 0 && <PushTraders traders={push.traders} />}
    </>
  )
}

type PushDevicesProps = {
  /** All devices but this one. */
  devices: readonly PushDevice[]
  /** A row has gone, with the button that had the focus. */
  onGone: () => void
}

/** Where else the person has turned notifications on. */
function PushDevices({ devices, onGone }: PushDevicesProps) {
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

/** How it stands with this browser, and what can be done about it. */
function PushHereState({ push, onGone }: { push: PushAnswer; onGone: () => void }) {
  const here = usePushHere()
  const device = push.devices.find(({ current }) => current)
  if (here === undefined) return <Skeleton className="h-11 sm:h-9" />
  if (here === 'unsupported') return <Unsupported />
  if (here === 'denied') return <Denied />
  if (here === 'subscribed' && device)
    return <On device={device} publicKey={push.publicKey} onGone={onGone} />
  return <Off push={push} />
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

/** Loud only for somebody who follows a trader: to others nothing would come. */
function Off({ push: { publicKey, traders } }: { push: PushAnswer }) {
  const { failure, isPending, turnOn } = useTurnOn(publicKey)
  return (
    <div className="space-y-2">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <p>Off on this device.</p>
        <Button
          variant={traders.length === 0 ? 'outline' : 'default'}
          size="sm"
          loading={isPending}
          onClick={turnOn}
        >
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

/** About whom notifications come, on all devices. */
function PushTraders({ traders }: { traders: readonly PushTrader[] }) {
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
