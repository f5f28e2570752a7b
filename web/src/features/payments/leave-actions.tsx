import type { SubscriptionItem } from '@tradepost/contract/subscriptions'
import { serverNow } from '../../lib/server-time.ts'
import { Button } from '../../ui/button.tsx'
import { LeaveButton } from './leave-window.tsx'
import { type Expect, useKeep } from './leaving.api.ts'
import { trialEndOf } from './trial-row.tsx'

type LeaveActionsProps = { subscription: SubscriptionItem; describedBy: string; expect: Expect }

/** The ways out of a subscription, and the way back while it only ends later (rules G-123 and G-126). */
export function LeaveActions(props: LeaveActionsProps) {
  const { describedBy, expect, subscription } = props
  const end = trialEndOf(subscription) === null ? 'cancel' : 'trial'
  return (
    <>
      {subscription.endsAt === null ? (
        <LeaveButton way={end} {...props} />
      ) : (
        <Keep id={subscription.id} describedBy={describedBy} expect={expect} />
      )}
      {isWithdrawable(subscription) && <LeaveButton way="withdraw" {...props} />}
    </>
  )
}

/** By the server's clock; a server of the version before does not say it. */
function isWithdrawable({ withdrawUntil }: SubscriptionItem): boolean {
  return withdrawUntil != null && serverNow() < new Date(withdrawUntil)
}

/** One press, and it renews as before. */
function Keep({ describedBy, expect, id }: { describedBy: string; expect: Expect; id: string }) {
  const { isPending, mutate } = useKeep(id, expect)
  return (
    <Button
      variant="outline"
      size="sm"
      aria-describedby={describedBy}
      loading={isPending}
      onClick={() => mutate(undefined)}
    >
      Keep it
    </Button>
  )
}
