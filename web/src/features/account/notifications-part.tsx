import { useQuery } from '@tanstack/react-query'
import type { PushAnswer } from '@tradepost/contract/push'
import { useRef } from 'react'
import { messageOf } from '../../lib/api-refusal.ts'
import { RefreshFailure } from '../../ui/refresh-failure.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { pushQuery } from './push.api.ts'
import { PushDevices } from './push-devices.tsx'
import { PushHereState } from './push-here-state.tsx'
import { PushTraders } from './push-traders.tsx'

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
          Each open and close of the traders you follow, on your phone or computer at once. Beside the mails,
          which stay as they are.
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
