import { useQuery } from '@tanstack/react-query'
import type { TraderResults } from '@tradepost/contract/following'
import type { SubscriptionItem } from '@tradepost/contract/subscriptions'
import { webPaths } from '@tradepost/contract/web-paths'
import { Fragment, useId } from 'react'
import { formatDay } from '../../lib/format.ts'
import { Link } from '../../lib/router.tsx'
import { serverNow } from '../../lib/server-time.ts'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { Gain } from '../../ui/gain.tsx'
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
import { followingQuery, resultsOf } from './following.api.ts'
import { LeaveActions } from './leave-actions.tsx'
import { NewPriceRow } from './new-price-row.tsx'
import { useMailSwitch } from './payments.api.ts'
import { PositionMailsSkeleton } from './position-mails-switch.tsx'
import { DiscountRow, RenewalPrice } from './renewal-price.tsx'
import { ReturnsRow } from './returns-row.tsx'
import { hasPaymentProblem, isEnded, renewalText, statusText } from './subscription-texts.ts'
import { TrialStatus, trialEndOf } from './trial-row.tsx'
import { useOutcome } from './use-outcome.ts'

const COLUMNS = 6
/** The table stands in a card, whose padding is enough at its edges. */
const CELL = 'px-2 first:pl-0 last:pr-0 stacked:px-0'

/** Where the rows are stacks, four lines: the trader; status and renewal; the price; the switch and the button. */
const ROW = 'stacked:flex stacked:flex-wrap stacked:items-center stacked:gap-x-1.5'
const PLACE = {
  trader: cn(CELL, 'stacked:basis-full stacked:py-0 stacked:before:hidden'),
  status: cn(CELL, 'wrap-normal stacked:py-0 stacked:text-sm stacked:before:hidden'),
  renews: cn(
    CELL,
    'whitespace-nowrap stacked:gap-1 stacked:py-0 stacked:text-sm stacked:before:content-["·_renews"]',
  ),
  price: cn(
    CELL,
    'text-right wrap-normal stacked:basis-full stacked:py-0 stacked:text-left stacked:text-sm stacked:before:hidden',
  ),
  mails: cn(CELL, 'stacked:mr-auto stacked:min-h-13 stacked:items-center stacked:py-0'),
  manage: cn(CELL, 'text-right stacked:py-0 stacked:before:hidden'),
}

type SubscriptionsTableProps = {
  /** In the order to show: the server's. */
  subscriptions: readonly SubscriptionItem[]
  /** The id of the sentence why no trader's mails can be switched: those of all are off; null while they are on. */
  noMailsBecause: string | null
  /** The reason that the page is being left, the id of a subscription for its Manage; null while it is not. */
  leavingBy: string | null
  onManage: (id: string) => void
}

/** The viewer's subscriptions, those that have ended too (rule G-05). */
export function SubscriptionsTable(props: SubscriptionsTableProps) {
  const { leavingBy, noMailsBecause, onManage, subscriptions } = props
  const { data } = useQuery(followingQuery)
  // A trader who was followed twice has two rows; what both brought stands in the first.
  const isFirst = ({ id, username }: SubscriptionItem) =>
    username !== '' && subscriptions.find((one) => one.username === username)?.id === id
  return (
    <Table data-stack="lg">
      <TableCaption>Your subscriptions</TableCaption>
      <SubscriptionsHeader />
      <TableBody>
        {subscriptions.map(({ newPrice, ...subscription }) => (
          <Fragment key={subscription.id}>
            <SubscriptionRow
              subscription={subscription}
              results={
                isFirst(subscription) ? (resultsOf(data?.traders, subscription.username) ?? 'none yet') : null
              }
              noMailsBecause={noMailsBecause}
              leaving={leavingBy === subscription.id}
              onManage={onManage}
            />
            {subscription.discount && trialEndOf(subscription) === null && (
              <DiscountRow subscription={subscription} columns={COLUMNS} />
            )}
            {newPrice && <NewPriceRow subscription={{ ...subscription, newPrice }} columns={COLUMNS} />}
            <ReturnsRow subscription={subscription} columns={COLUMNS} />
          </Fragment>
        ))}
      </TableBody>
    </Table>
  )
}

type SubscriptionRowProps = {
  subscription: SubscriptionItem
  /** The results of following the trader, and null where another row says it; its place is kept until it is known. */
  results: TraderResults | 'none yet' | null
  noMailsBecause: string | null
  leaving: boolean
  onManage: (id: string) => void
}

function SubscriptionRow(props: SubscriptionRowProps) {
  const { leaving, noMailsBecause, onManage, results, subscription } = props
  const { endsAt, id, status, username } = subscription
  const { expect, place } = useOutcome(`${status} ${endsAt}`)
  const ended = isEnded(subscription)
  const trialEnd = trialEndOf(subscription)
  const renewal = trialEnd === null ? renewalText(subscription) : null
  const trader = useId()
  return (
    <TableRow className={cn(ROW, subscription.discount && 'border-b-0')}>
      <TableCell className={PLACE.trader}>
        {username === '' ? (
          <span id={trader} className="text-muted-foreground">
            A trader who has left
          </span>
        ) : (
          <Link
            translate="no"
            id={trader}
            to={webPaths.trader(username)}
            className="rounded-sm font-semibold outline-none hover:underline focus-visible:ring-2 focus-visible:ring-ring stacked:inline-flex stacked:min-h-11 stacked:items-center"
          >
            {username}
          </Link>
        )}
        {results !== null && (
          <p className="min-h-5 text-xs/5 whitespace-nowrap text-muted-foreground">
            {results !== 'none yet' && <Brought {...results} />}
          </p>
        )}
      </TableCell>
      <TableCell className={PLACE.status}>
        <span
          ref={place}
          tabIndex={-1}
          className={cn(
            'rounded-sm outline-none focus-visible:ring-2 focus-visible:ring-ring',
            hasPaymentProblem(subscription) && 'font-medium text-destructive',
            ended && 'text-muted-foreground',
          )}
        >
          {trialEnd === null ? (
            statusText(subscription)
          ) : (
            <TrialStatus endsAt={trialEnd} subscription={subscription} />
          )}
        </span>
      </TableCell>
      <TableCell className={cn(PLACE.renews, renewal === null && 'stacked:hidden')}>{renewal}</TableCell>
      <TableCell translate="no" className={cn(PLACE.price, trialEnd !== null && 'stacked:hidden')}>
        <RenewalPrice subscription={subscription} />
      </TableCell>
      <TableCell data-label="E-mail me" className={cn(PLACE.mails, ended && 'stacked:hidden')}>
        {!ended && (
          <MailSwitch
            subscription={subscription}
            isDisabled={noMailsBecause !== null}
            describedBy={noMailsBecause === null ? trader : `${trader} ${noMailsBecause}`}
          />
        )}
      </TableCell>
      <TableCell className={cn(PLACE.manage, ended && 'stacked:hidden')}>
        {!ended && (
          <div className="flex flex-wrap justify-end gap-2 lg:flex-col lg:items-end">
            {statusText(subscription) !== 'Active' && (
              <Button
                variant="outline"
                size="sm"
                aria-describedby={trader}
                loading={leaving}
                onClick={() => onManage(id)}
              >
                Manage
              </Button>
            )}
            <LeaveActions subscription={subscription} describedBy={trader} expect={expect} />
          </div>
        )}
      </TableCell>
    </TableRow>
  )
}

/** Since when the trader is followed, and what came of it (rule G-110). */
function Brought({ closed, mean, since }: TraderResults) {
  const day = formatDay(since, serverNow())
  if (mean === null) return <span>{`since ${day}: nothing closed yet`}</span>
  return (
    <>
      <span>{`since ${day}: ${closed} closed, `}</span>
      <Gain value={mean} />
    </>
  )
}

type MailSwitchProps = { subscription: SubscriptionItem; isDisabled: boolean; describedBy: string }

/** It keeps its value while the mails of all traders are off. */
function MailSwitch({ describedBy, isDisabled, subscription }: MailSwitchProps) {
  const { mutate } = useMailSwitch(subscription.id)
  return (
    <Switch
      aria-label="E-mail me"
      aria-describedby={describedBy}
      checked={subscription.mailEnabled}
      disabled={isDisabled}
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
  ['trader', 'my-1 h-4 w-20 stacked:my-3.5'],
  ['status', 'my-1 h-4 w-16'],
  ['renews', 'my-1 h-4 w-24 stacked:hidden'],
  ['price', 'my-1 h-4 w-14 lg:ml-auto'],
  ['mails', 'my-1 h-4 w-10'],
  ['manage', 'h-11 w-20 sm:h-9'],
] as const

/** The table while it loads, in its final shape. */
export function SubscriptionsSkeleton() {
  return (
    <div role="status" aria-label="Loading your subscriptions" aria-busy="true">
      <PositionMailsSkeleton />
      <Table aria-hidden="true" data-stack="lg">
        <SubscriptionsHeader />
        <TableBody>
          {SKELETON_ROWS.map((row) => (
            <TableRow key={row} className={ROW}>
              {SKELETON_CELLS.map(([place, shape]) => (
                <TableCell key={place} className={cn(PLACE[place], 'stacked:before:hidden')}>
                  <Skeleton className={shape} />
                </TableCell>
              ))}
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </div>
  )
}
