import { formatMoney } from '@tradepost/contract/money'
import type { SubscriptionItem } from '@tradepost/contract/subscriptions'
import { webPaths } from '@tradepost/contract/web-paths'
import { useId } from 'react'
import { Link } from '../../lib/router.tsx'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Switch } from '../../ui/switch.tsx'
import {
  Table,
  TableBody,
  TableCaption,
  TableCell,
  TableHead,
  TableHeader,
  TableRow,
} from '../../ui/table.tsx'
import { useMailSwitch } from './payments.api.ts'
import { hasPaymentProblem, isEnded, renewalText, statusText } from './subscription-texts.ts'

/** The table stands in a card, whose padding is enough at its edges. */
const CELL = 'px-2 first:pl-0 last:pr-0 stacked:px-0'

type SubscriptionsTableProps = {
  /** In the order to show: the server's. */
  subscriptions: readonly SubscriptionItem[]
  /** What leaves the page, the id of a subscription for its Manage; null while nothing does. */
  leavingBy: string | null
  onManage: (id: string) => void
}

/** The viewer's subscriptions, those that have ended too (decision G-05). */
export function SubscriptionsTable({ subscriptions, leavingBy, onManage }: SubscriptionsTableProps) {
  return (
    <Table data-stack="lg">
      <TableCaption>Your subscriptions</TableCaption>
      <SubscriptionsHeader />
      <TableBody>
        {subscriptions.map((subscription) => (
          <SubscriptionRow
            key={subscription.id}
            subscription={subscription}
            leaving={leavingBy === subscription.id}
            onManage={onManage}
          />
        ))}
      </TableBody>
    </Table>
  )
}

type SubscriptionRowProps = {
  subscription: SubscriptionItem
  leaving: boolean
  onManage: (id: string) => void
}

function SubscriptionRow({ subscription, leaving, onManage }: SubscriptionRowProps) {
  const { id, username, priceCents, currency } = subscription
  const ended = isEnded(subscription)
  const renewal = renewalText(subscription)
  const trader = useId()
  return (
    <TableRow>
      <TableCell data-label="Trader" className={CELL}>
        <Link
          id={trader}
          to={webPaths.trader(username)}
          className="rounded-sm font-semibold outline-none hover:underline focus-visible:ring-2 focus-visible:ring-ring stacked:inline-flex stacked:min-h-11 stacked:items-center"
        >
          {username}
        </Link>
      </TableCell>
      <TableCell data-label="Status" className={cn(CELL, 'lg:whitespace-nowrap')}>
        <span
          className={cn(
            hasPaymentProblem(subscription) && 'font-medium text-destructive',
            ended && 'text-muted-foreground',
          )}
        >
          {statusText(subscription)}
        </span>
      </TableCell>
      <TableCell
        data-label="Renews"
        className={cn(CELL, 'whitespace-nowrap', renewal === null && 'stacked:hidden')}
      >
        {renewal}
      </TableCell>
      <TableCell data-label="Price" className={cn(CELL, 'text-right whitespace-nowrap')}>
        {formatMoney(priceCents, currency)}
      </TableCell>
      <TableCell
        data-label="E-mail me"
        className={cn(CELL, 'stacked:items-center', ended && 'stacked:hidden')}
      >
        {!ended && <MailSwitch subscription={subscription} describedBy={trader} />}
      </TableCell>
      <TableCell
        className={cn(CELL, 'text-right stacked:pt-2 stacked:before:hidden', ended && 'stacked:hidden')}
      >
        {!ended && (
          <Button
            variant="outline"
            size="sm"
            className="stacked:w-full"
            aria-describedby={trader}
            loading={leaving}
            onClick={() => onManage(id)}
          >
            Manage
          </Button>
        )}
      </TableCell>
    </TableRow>
  )
}

function MailSwitch(props: { subscription: SubscriptionItem; describedBy: string }) {
  const { subscription, describedBy } = props
  const { mutate } = useMailSwitch(subscription.id)
  return (
    <Switch
      aria-label="E-mail me"
      aria-describedby={describedBy}
      checked={subscription.mailEnabled}
      onCheckedChange={(enabled) => mutate(enabled)}
    />
  )
}

function SubscriptionsHeader() {
  return (
    <TableHeader>
      <TableRow>
        <TableHead className={CELL}>Trader</TableHead>
        <TableHead className={CELL}>Status</TableHead>
        <TableHead className={CELL}>Renews</TableHead>
        <TableHead className={cn(CELL, 'text-right')}>Price</TableHead>
        <TableHead className={cn(CELL, 'leading-tight')}>E-mail me</TableHead>
        <TableHead className={CELL}>
          <span className="sr-only">Actions</span>
        </TableHead>
      </TableRow>
    </TableHeader>
  )
}

const SKELETON_ROWS = ['a', 'b']
const SKELETON_CELLS = [
  ['Trader', 'w-20'],
  ['Status', 'w-16'],
  ['Renews', 'w-24'],
  ['Price', 'w-14 sm:ml-auto'],
  ['E-mail me', 'w-10'],
] as const

/** The table while it loads, in its final shape. */
export function SubscriptionsSkeleton() {
  return (
    <div role="status" aria-label="Loading your subscriptions" aria-busy="true">
      <Table aria-hidden="true" data-stack="lg">
        <SubscriptionsHeader />
        <TableBody>
          {SKELETON_ROWS.map((row) => (
            <TableRow key={row}>
              {SKELETON_CELLS.map(([label, width]) => (
                <TableCell key={label} data-label={label} className={CELL}>
                  <Skeleton className={cn('my-1 h-4', width)} />
                </TableCell>
              ))}
              <TableCell className={cn(CELL, 'stacked:pt-2 stacked:before:hidden')}>
                <Skeleton className="h-11 w-full sm:h-9 sm:w-20" />
              </TableCell>
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </div>
  )
}
