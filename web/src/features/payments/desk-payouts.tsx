import { useQuery } from '@tanstack/react-query'
import type { ComingPayout, Holding, TraderPayouts } from '@tradepost/contract/desk'
import { formatMoney } from '@tradepost/contract/money'
import { webPaths } from '@tradepost/contract/web-paths'
import type { ReactNode } from 'react'
import { messageOf } from '../../lib/api-refusal.ts'
import { localFormat } from '../../lib/format.ts'
import { Link } from '../../lib/router.tsx'
import { Button } from '../../ui/button.tsx'
import { focusAround } from '../../ui/focus-around.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { askAgain } from './ask-again.ts'
import { payoutsQuery } from './desk.api.ts'
import { DeskHeading } from './desk-heading.tsx'
import { useReturn } from './use-return.ts'

/** The money that Stripe holds for the trader and sends to their bank. The rest of the desk does not wait for it. */
export function DeskPayouts() {
  const cameBack = useReturn('onboarding')
  const { data, error, isError, isFetching, refetch } = useQuery({
    ...payoutsQuery,
    refetchInterval: askAgain(cameBack === 'return', ({ state }) => state === 'ready'),
  })
  const again = () => void refetch()
  return (
    <div className="space-y-2">
      <DeskHeading>Payouts</DeskHeading>
      {/* As high as most answers are, so that little moves when one comes. */}
      <div className="min-h-24">
        {data === undefined && !isError && <PayoutsSkeleton />}
        {data === undefined && isError && (
          <Unread retrying={isFetching} onRetry={again}>
            {messageOf(error)}
          </Unread>
        )}
        {data?.state === 'unreadable' && (
          <Unread retrying={isFetching} onRetry={again}>
            Stripe does not answer, so your payouts cannot be shown now. Nothing is lost.
          </Unread>
        )}
        {data && data.state !== 'unreadable' && <Answer {...data} />}
      </div>
    </div>
  )
}

type UnreadProps = { retrying: boolean; onRetry: () => void; children: ReactNode }

function Unread({ retrying, onRetry, children }: UnreadProps) {
  return (
    <div role="status" className="space-y-3">
      <p>{children}</p>
      <Button
        variant="outline"
        size="sm"
        loading={retrying}
        onClick={(event) => {
          focusAround(event.currentTarget)
          onRetry()
        }}
      >
        Try again
      </Button>
    </div>
  )
}

function Answer({ state, balance, coming }: TraderPayouts) {
  return (
    <div className="space-y-3">
      {state !== 'ready' && <Unfinished />}
      {(state === 'ready' || balance.length > 0) && (
        <dl className="space-y-3">
          <div>
            <dt className="text-sm text-muted-foreground">
              {coming.length > 1 ? 'Next payouts' : 'Next payout'}
            </dt>
            {coming.length === 0 ? (
              <dd>{whenNone(balance)}</dd>
            ) : (
              coming.map((payout) => <Payout key={payout.id} {...payout} />)
            )}
          </div>
          <div>
            <dt className="text-sm text-muted-foreground">Balance at Stripe</dt>
            {balance.map(({ currency, availableCents, pendingCents }) => (
              <dd key={currency} className="tabular-nums">
                {`${formatMoney(availableCents, currency)} available, ${formatMoney(pendingCents, currency)} pending`}
              </dd>
            ))}
          </div>
        </dl>
      )}
    </div>
  )
}

const dayFormat = localFormat({ dateStyle: 'medium', timeZone: 'UTC' })

function Payout({ amountCents, currency, arrivesOn }: ComingPayout) {
  return (
    <dd className="tabular-nums">
      <span translate="no" className="font-medium">
        {formatMoney(amountCents, currency)}
      </span>
      <span>{' on '}</span>
      <time dateTime={arrivesOn}>{dayFormat(new Date(`${arrivesOn}T00:00:00Z`))}</time>
    </dd>
  )
}

/** Why nothing is on its way, and what comes first. */
function whenNone(balance: Holding[]): string {
  if (balance.some(({ availableCents }) => availableCents < 0))
    return 'What comes in next makes up for the negative balance first.'
  if (balance.some(({ pendingCents }) => pendingCents > 0))
    return 'Stripe sends what is pending as soon as it is available.'
  if (balance.some(({ availableCents }) => availableCents > 0))
    return 'Stripe sends what is available with its next payout.'
  return 'Nothing to pay out yet.'
}

function Unfinished() {
  return (
    <p>
      <span>{'Stripe cannot pay you, so nobody can subscribe to you now. The reason is under '}</span>
      <Link to={webPaths.payments} className="font-medium underline underline-offset-4">
        Payments
      </Link>
      <span>.</span>
    </p>
  )
}

function PayoutsSkeleton() {
  return (
    <div role="status" aria-label="Loading your payouts at Stripe" aria-busy="true" className="space-y-3">
      <Skeleton className="h-10 w-52" />
      <Skeleton className="h-10 w-60" />
    </div>
  )
}
