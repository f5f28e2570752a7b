import type { SubscriptionItem } from '@tradepost/contract/subscriptions'
import { serverNow } from '../../lib/server-time.ts'
import { Button } from '../../ui/button.tsx'
import { LeaveButton } from './leave-window.tsx'
import { useKeep } from './leaving.api.ts'

type LeaveActionsProps = { subscription: SubscriptionItem; describedBy: string }

/** The ways out of a subscription that is not in its trial, and the way back while it only ends later (rule G-126). */
export function LeaveActions({ describedBy, subscription }: LeaveActionsProps) {
  const canWithdraw = isWithdrawable(subscription)
  return (
    <>
      {subscription.endsAt === null ? (
        <LeaveButton way="cancel" subscription={subscription} describedBy={describedBy} />
      ) : (
        <Keep id={subscription.id} describedBy={describedBy} />
      )}
      {canWithdraw && <LeaveButton way="withdraw" subscription={subscription} describedBy={describedBy} />}
    </>
  )
}

/** By the server's clock; a server of the version before does not say it. */
function isWithdrawable({ withdrawUntil }: SubscriptionItem): boolean {
  return withdrawUntil != null && serverNow() < new Date(withdrawUntil)
}

/** One press, and it renews as before. */
function Keep({ describedBy, id }: { describedBy: string; id: string }) {
  const { isPending, mutate } = useKeep(id)
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
