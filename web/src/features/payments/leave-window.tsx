import { useQuery } from '@tanstack/react-query'
import type { Leaving } from '@tradepost/contract/leaving'
import { beforePressing, cancelStep, withdrawStep } from '@tradepost/contract/leaving-words'
import { formatMoney } from '@tradepost/contract/money'
import type { SubscriptionItem } from '@tradepost/contract/subscriptions'
import { useState } from 'react'
import { messageOf } from '../../lib/api-refusal.ts'
import { formatExactTime, formatLongDay } from '../../lib/format.ts'
import { settings } from '../../lib/settings.ts'
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
import { type Expect, leavingQuery, useCancel, useWithdraw } from './leaving.api.ts'

/** The ways out, each with the button that opens it, the beginning of its title, and its words. */
const WAYS = {
  cancel: {
    open: 'Cancel…',
    title: 'Cancel your subscription to ',
    stepOf: (leaving: Leaving) => cancelStep(leaving, SHOWN),
  },
  withdraw: {
    open: 'Withdraw…',
    title: 'Withdraw from your subscription to ',
    stepOf: (leaving: Leaving) => withdrawStep(leaving, SHOWN),
  },
}
const SHOWN = {
  time: formatExactTime,
  day: (iso: string) => formatLongDay(new Date(iso)),
  returnsEmptyMonths: settings.returnsEmptyMonths === true,
}

type LeaveProps = {
  way: keyof typeof WAYS
  subscription: Pick<SubscriptionItem, 'id' | 'username'>
  /** Called at a press, so that the focus goes to its outcome. */
  expect: Expect
}

/** The first step of leaving a trader: opens what will happen, and the second step beside it (rule G-126). */
export function LeaveButton({ describedBy, ...leave }: LeaveProps & { describedBy: string }) {
  const [isOpen, setOpen] = useState(false)
  const { data, error, isFetching } = useQuery({ ...leavingQuery(leave.subscription.id), enabled: isOpen })
  // Opened whole: a button that comes under the pointer later is pressed by somebody who means another one.
  const isReady = data !== undefined || (error !== null && !isFetching)
  return (
    <>
      <Button
        variant="outline"
        size="sm"
        aria-haspopup="dialog"
        aria-describedby={describedBy}
        loading={isOpen && !isReady}
        onClick={() => setOpen(true)}
      >
        {WAYS[leave.way].open}
      </Button>
      {isOpen && isReady && (
        <LeaveWindow {...leave} data={data} error={error} onDismiss={() => setOpen(false)} />
      )}
    </>
  )
}

type LeaveWindowProps = LeaveProps & { data: Leaving | undefined; error: Error | null; onDismiss: () => void }

function LeaveWindow({ data, error, expect, onDismiss, subscription, way }: LeaveWindowProps) {
  const { id, username } = subscription
  const acts = {
    cancel: useCancel(id, expect),
    withdraw: useWithdraw(id, expect),
  }
  const { isPending } = acts[way]
  const step = data && WAYS[way].stepOf(data)
  function press({ asOf }: Leaving): void {
    const finish = { onSettled: onDismiss }
    if (way === 'withdraw') acts.withdraw.mutate(asOf, finish)
    else acts.cancel.mutate(undefined, finish)
  }
  return (
    <Dialog open onOpenChange={(open) => !open && !isPending && onDismiss()}>
      {/* The row that it belongs to may be set to the right. */}
      <DialogContent className="text-left">
        <DialogHeader>
          <DialogTitle>
            <span>{WAYS[way].title}</span>
            <span translate="no">{`@${username}`}</span>
            <span>?</span>
          </DialogTitle>
          <DialogDescription>{beforePressing(step ? [step] : [])}</DialogDescription>
        </DialogHeader>
        {error && (
          <Alert variant="destructive">
            <AlertDescription>{messageOf(error)}</AlertDescription>
          </Alert>
        )}
        {step && (
          <div className="space-y-3 text-sm">
            {step.words.map((words) => (
              <p key={words}>{words}</p>
            ))}
            {way === 'cancel' && data && <OtherWay leaving={data} />}
          </div>
        )}
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

/** Beside a cancellation, that a withdrawal brings money back, while it does. */
function OtherWay({ leaving }: { leaving: Leaving }) {
  const { withdrawal } = leaving
  if (withdrawal === null || withdrawal.returnsCents === 0) return null
  return (
    <p className="text-muted-foreground">
      {`If you withdraw instead, your access ends at once and you get back ${formatMoney(withdrawal.returnsCents, withdrawal.currency)}.`}
    </p>
  )
}
