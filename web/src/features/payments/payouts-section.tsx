import { useQuery } from '@tanstack/react-query'
import type { Account } from '@tradepost/contract/accounts'
import { webPaths } from '@tradepost/contract/web-paths'
import { useEffect } from 'react'
import { messageOf } from '../../lib/api-refusal.ts'
import { Link } from '../../lib/router.tsx'
import { Card, CardContent, CardHeader, CardTitle } from '../../ui/card.tsx'
import { RefreshFailure } from '../../ui/refresh-failure.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { askAgain } from './ask-again.ts'
import { forgetAutomaticTries } from './onboarding-tries.ts'
import { payoutStatusQuery } from './payments.api.ts'
import { PayoutOnboarding } from './payout-onboarding.tsx'
import { PayoutsComplete } from './payouts-complete.tsx'
import { PayoutsRejected } from './payouts-rejected.tsx'
import { SandboxMoneyLine } from './sandbox-money-line.tsx'
import { useReturn } from './use-return.ts'

type PayoutsSectionProps = {
  account: Account
  /** Called when Add username is followed; on the account page the way there is short. */
  onAddUsername: () => void
  /** Called when the account may be another than the one given: its set-up was started, or began and failed. */
  onAccountChange: () => void
}

/** Account > Payments: from no username to payouts that are set up (docs/specification.md section 4, decision G-29). */
export function PayoutsSection({ account, onAddUsername, onAccountChange }: PayoutsSectionProps) {
  return (
    <Card id="payments" aria-labelledby="payments-title">
      <CardHeader>
        <CardTitle id="payments-title">Payments</CardTitle>
      </CardHeader>
      <CardContent>
        {account.username === '' ? (
          <UsernameFirst onAddUsername={onAddUsername} />
        ) : (
          <Payouts started={account.trader} onAccountChange={onAccountChange} />
        )}
      </CardContent>
    </Card>
  )
}

function UsernameFirst({ onAddUsername }: Pick<PayoutsSectionProps, 'onAddUsername'>) {
  return (
    <p>
      <span>{'People who pay to follow you need a name to follow. '}</span>
      <Link
        to={webPaths.account}
        onClick={onAddUsername}
        className="font-medium text-primary underline underline-offset-4"
      >
        Add username
      </Link>
    </p>
  )
}

type PayoutsProps = { started: boolean; onAccountChange: () => void }

/** Coming back from the provider says only that its pages were left; whether all is done, the server has to ask. */
function Payouts({ started, onAccountChange }: PayoutsProps) {
  const cameBack = useReturn('onboarding')
  const { data, error, isError, refetch } = useQuery({
    ...payoutStatusQuery,
    refetchInterval: askAgain(
      cameBack === 'return',
      ({ onboardComplete, rejected }) => onboardComplete || rejected === true,
    ),
  })
  useEffect(() => {
    if (cameBack === 'return') forgetAutomaticTries()
  }, [cameBack])
  return (
    <div className="space-y-4">
      {data === undefined && isError && (
        <RefreshFailure message={messageOf(error)} onRetry={() => void refetch()} />
      )}
      {data === undefined && !isError && <PayoutsSkeleton />}
      {data?.onboardComplete && <PayoutsComplete />}
      {data?.rejected && <PayoutsRejected isFollowed={data.followed === true} />}
      {data && !data.onboardComplete && !data.rejected && (
        <PayoutOnboarding
          started={started}
          linkExpired={cameBack === 'refresh'}
          onFailure={() => {
            onAccountChange()
            void refetch()
          }}
        />
      )}
      {data && <SandboxMoneyLine />}
    </div>
  )
}

function PayoutsSkeleton() {
  return (
    <div role="status" aria-label="Loading your payouts" aria-busy="true" className="space-y-4">
      <Skeleton className="h-6 w-full max-w-sm" />
      <Skeleton className="h-11 w-40 sm:h-10" />
    </div>
  )
}
