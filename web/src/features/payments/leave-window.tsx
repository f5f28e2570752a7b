import { useQuery } from '@tanstack/react-query'
import type { Leaving, Withdrawal } from '@tradepost/contract/leaving'
import { formatMoney } from '@tradepost/contract/money'
import type { SubscriptionItem } from '@tradepost/contract/subscriptions'
import { type ReactNode, useState } from 'react'
import { messageOf } from '../../lib/api-refusal.ts'
import { formatLongDay, formatTime } from '../../lib/format.ts'
import { Alert, AlertDescription } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import {
  Dialog,
  DialogClose,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogTitle,
} from '../../ui/dialog.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { leavingQuery, useCancel, useWithdraw } from './leaving.api.ts'

type Way = 'cancel' | 'withdraw'
type LeaveProps = { subscription: Pick<SubscriptionItem, 'id' | 'username'>; describedBy: string }

/** The first step of leaving a trader: opens what will happen, and the second step beside it (rule G-126). */
export function LeaveButton({ describedBy, subscription, way }: LeaveProps & { way: Way }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button
        variant="outline"
        size="sm"
        aria-haspopup="dialog"
        aria-describedby={describedBy}
        onClick={() => setOpen(true)}
      >
        {way === 'cancel' ? 'Cancel…' : 'Withdraw…'}
      </Button>
      {isOpen && <LeaveWindow subscription={subscription} way={way} onDismiss={() => setOpen(false)} />}
    </>
  )
}

type WindowProps = { subscription: LeaveProps['subscription']; way: Way; onDismiss: () => void }

function LeaveWindow({ onDismiss, subscription, way }: WindowProps) {
  const { id, username } = subscription
  const { data, error } = useQuery(leavingQuery(id))
  const cancel = useCancel(id)
  const withdraw = useWithdraw(id)
  const isPending = cancel.isPending || withdraw.isPending
  const title = way === 'cancel' ? 'Cancel your subscription' : 'Withdraw from your subscription'
  const step = data && (way === 'cancel' ? cancelStep(data) : withdrawStep(data))
  const finish = { onSettled: onDismiss }
  function press(leaving: Leaving): void {
    if (way === 'cancel') cancel.mutate(undefined, finish)
    else withdraw.mutate(leaving.asOf, finish)
  }
  return (
    <Dialog open onOpenChange={(open) => !open && !isPending && onDismiss()}>
      {/* The row that it belongs to may be set to the right. */}
      <DialogContent className="text-left">
        <DialogHeader>
          <DialogTitle>
            <span>{`${title} to `}</span>
            <span translate="no">{`@${username}`}</span>
            <span>?</span>
          </DialogTitle>
          <DialogDescription>Nothing happens before you press the second button.</DialogDescription>
        </DialogHeader>
        {error && (
          <Alert variant="destructive">
            <AlertDescription>{messageOf(error)}</AlertDescription>
          </Alert>
        )}
        {!data && !error && <Skeleton className="h-16 w-full" />}
        {step && <div className="space-y-3 text-sm">{step.words}</div>}
        <DialogFooter>
          <DialogClose asChild>
            <Button variant="outline" disabled={isPending}>
              Not now
            </Button>
          </DialogClose>
          {data && step?.button && (
            <Button variant="destructive" loading={isPending} onClick={() => press(data)}>
              {step.button}
            </Button>
          )}
        </DialogFooter>
      </DialogContent>
    </Dialog>
  )
}

/** @property button null where there is nothing to press */
type Step = { words: ReactNode; button: string | null }

function cancelStep({ cancelAt, endsAt, withdrawal }: Leaving): Step {
  if (endsAt !== null)
    return { words: <p>{`It is canceled already, and ends on ${formatTime(endsAt)}.`}</p>, button: null }
  const words =
    cancelAt === null
      ? 'No time is paid, so the subscription and your access end at once. Nothing more is charged.'
      : `You keep your access until ${formatTime(cancelAt)}. Nothing more is charged, and nothing is returned. Until then you can take this back.`
  return {
    words: (
      <>
        <p>{words}</p>
        {withdrawal && withdrawal.returnsCents > 0 && (
          <p className="text-muted-foreground">
            {`If you withdraw instead, your access ends at once and you get back ${amountOf(withdrawal)}.`}
          </p>
        )}
      </>
    ),
    button: cancelAt === null ? 'Cancel now' : `Cancel at ${formatLongDay(new Date(cancelAt))}`,
  }
}

function withdrawStep({ withdrawal }: Leaving): Step {
  if (withdrawal === null)
    return {
      words: <p>The fourteen days are over, so it can be canceled and not withdrawn from any more.</p>,
      button: null,
    }
  return {
    words: (
      <>
        <p>{returnWords(withdrawal)}</p>
        <p>Your access ends at once, and you will not be charged again.</p>
        {withdrawal.returnsCents > 0 && (
          <p>The money goes to the card that paid it. Banks take up to ten days to show it.</p>
        )}
        <p className="text-muted-foreground">{`This is possible until ${formatTime(withdrawal.until)}.`}</p>
      </>
    ),
    button: 'Withdraw now',
  }
}

function returnWords(withdrawal: Withdrawal): string {
  const { currency, delivered, paidCents, returnsCents } = withdrawal
  if (returnsCents === 0) return 'Nothing is returned: all that you paid has gone back before.'
  const back = amountOf(withdrawal)
  if (!delivered) return `You get back ${back}, since nothing was published in the time that you paid for.`
  if (returnsCents === paidCents) return `You get back ${back}, all that you paid.`
  return `You get back ${back} of the ${formatMoney(paidCents, currency)} that you paid: the part for the days that are left.`
}

const amountOf = ({ currency, returnsCents }: Withdrawal) => formatMoney(returnsCents, currency)
