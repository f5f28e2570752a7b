import { useQuery } from '@tanstack/react-query'
import type { PushAnswer } from '@tradepost/contract/push'
import { useRef } from 'react'
import { messageOf } from '../../lib/api-refusal.ts'
import { Card, CardContent, CardDescription, CardHeader, CardTitle } from '../../ui/card.tsx'
import { RefreshFailure } from '../../ui/refresh-failure.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { pushQuery } from './push.api.ts'
import { PushDevices } from './push-devices.tsx'
import { PushHereState } from './push-here-state.tsx'
import { PushTraders } from './push-traders.tsx'

/** Account > Notifications: in this browser, on other devices, and about whom (G-101). */
export function NotificationsSection() {
  const section = useRef<HTMLElement>(null)
  return (
    <Card id="notifications" ref={section} tabIndex={-1} aria-labelledby="notifications-title">
      <CardHeader>
        <CardTitle id="notifications-title">Notifications</CardTitle>
        <CardDescription>
          Each open and close of the traders you follow, on your phone or computer at once. Beside the mails,
          which stay as they are.
        </CardDescription>
      </CardHeader>
      <CardContent>
        {/* A button goes with its row; the focus stays near. */}
        <Notifications onGone={() => section.current?.focus({ preventScroll: true })} />
      </CardContent>
    </Card>
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
