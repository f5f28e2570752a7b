import type { SubscriptionItem } from '@tradepost/contract/subscriptions'
import { serverNow } from '../../lib/server-time.ts'
import { Button } from '../../ui/button.tsx'
import { LeaveButton } from './leave-window.tsx'
import { type Expect, useEndTrial, useKeep } from './leaving.api.ts'
import { trialEndOf } from './trial-row.tsx'

type LeaveActionsProps = { subscription: SubscriptionItem; describedBy: string; expect: Expect }

/** The ways out of a subscription, and the way back while it only ends later (rules G-123 and G-126). */
export function LeaveActions(props: LeaveActionsProps) {
  const { describedBy, expect, subscription } = props
  const { endsAt, id } = subscription
  const press = { id, describedBy, expect }
  return (
    <>
      {endsAt !== null && <Keep {...press} />}
      {endsAt === null && trialEndOf(subscription) !== null && <EndTrial {...press} />}
      {endsAt === null && trialEndOf(subscription) === null && <LeaveButton way="cancel" {...props} />}
      {isWithdrawable(subscription) && <LeaveButton way="withdraw" {...props} />}
    </>
  )
}

/** By the server's clock; a server of the version before does not say it. */
function isWithdrawable({ withdrawUntil }: SubscriptionItem): boolean {
  return withdrawUntil != null && serverNow() < new Date(withdrawUntil)
}

type PressProps = { id: string; describedBy: string; expect: Expect }

/** It renews as before. */
function Keep({ expect, id, ...shown }: PressProps) {
  return <OnePress {...shown} label="Keep it" act={useKeep(id, expect)} />
}

/** Nothing is charged, the positions stay visible until the last free day, and `Keep it` takes it back until then. */
function EndTrial({ expect, id, ...shown }: PressProps) {
  return <OnePress {...shown} label="End trial" act={useEndTrial(id, expect)} />
}

type OnePressProps = {
  label: string
  describedBy: string
  act: ReturnType<typeof useKeep> | ReturnType<typeof useEndTrial>
}

function OnePress({ act, describedBy, label }: OnePressProps) {
  return (
    <Button
      variant="outline"
      size="sm"
      aria-describedby={describedBy}
      loading={act.isPending}
      onClick={() => act.mutate(undefined)}
    >
      {label}
    </Button>
  )
}
