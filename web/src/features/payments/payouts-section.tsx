import { useQuery } from '@tanstack/react-query'
import type { Account } from '@tradepost/contract/accounts'
import { refusalMessage } from '@tradepost/contract/errors'
import { payoutTerms, REJECTED_REASON, rejectedFollowers } from '@tradepost/contract/payout-texts'
import { webPaths } from '@tradepost/contract/web-paths'
import { useEffect, useId, useRef, useState } from 'react'
import { messageOf } from '../../lib/api-refusal.ts'
import { Link } from '../../lib/router.tsx'
import { settings } from '../../lib/settings.ts'
import { Alert, AlertDescription } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, CardContent, CardHeader, CardTitle } from '../../ui/card.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { DisabledReason } from '../../ui/disabled-reason.tsx'
import { Label } from '../../ui/label.tsx'
import { RefreshFailure } from '../../ui/refresh-failure.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { askAgain } from './ask-again.ts'
import { allowsAutomaticTry, forgetAutomaticTries } from './onboarding-tries.ts'
import { startOnboarding } from './payments.api.ts'
import { payoutStatusQuery } from './payout-status.api.ts'
import { PayoutsComplete } from './payouts-complete.tsx'
import { SandboxMoneyLine } from './sandbox-money-line.tsx'
import { useDeparture } from './use-departure.ts'
import { useReturn } from './use-return.ts'

type PayoutsSectionProps = {
  account: Account
  /** Called when Add username is followed; on the account page the way there is short. */
  onAddUsername: () => void
  /** Called when the account may be another than the one given: its set-up was started, or began and failed. */
  onAccountChange: () => void
}

/** Account > Payments: from no username to payouts that are set up (docs/specification.md section 4, rule G-29). */
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
          <Payouts username={account.username} started={account.trader} onAccountChange={onAccountChange} />
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
        className="font-medium underline underline-offset-4"
      >
        Add username
      </Link>
    </p>
  )
}

type PayoutsProps = { username: string; started: boolean; onAccountChange: () => void }

/** Coming back from the provider proves only that its pages were left; whether all is done, the server has to ask. */
function Payouts({ username, started, onAccountChange }: PayoutsProps) {
  const cameBack = useReturn('onboarding')
  const { data, error, isError, refetch } = useQuery({
    ...payoutStatusQuery,
    refetchInterval: askAgain(
      cameBack === 'return',
      ({ onboardComplete, rejected, taxMissing }) => (onboardComplete && !taxMissing) || rejected === true,
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
      {data?.onboardComplete && <PayoutsComplete username={username} taxMissing={data.taxMissing === true} />}
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

type PayoutOnboardingProps = {
  /** Begun earlier: the terms were agreed to then, and the provider still waits for something or checks it. */
  started: boolean
  /** The provider sent the browser back for a new link; it goes there again automatically, twice at most. */
  linkExpired: boolean
  onFailure: () => void
}

/** The way to payouts: terms to agree to, then the provider's own pages (docs/specification.md section 4, rule G-51). */
function PayoutOnboarding({ started, linkExpired, onFailure }: PayoutOnboardingProps) {
  const { leavingBy, error, leave } = useDeparture(onFailure)
  const [agreed, setAgreed] = useState(false)
  const mustAgree = !started && !agreed
  const reasonId = useId()
  useNewLink(started && linkExpired, () => leave('onboarding', startOnboarding))

  function goOn(): void {
    forgetAutomaticTries()
    leave('onboarding', startOnboarding)
  }

  return (
    <>
      {started ? (
        <p className="text-muted-foreground">
          Your payouts are not complete: Stripe needs something from you, or is checking what you sent. Until
          that is done nobody can subscribe to you, and those who follow you are not charged.
        </p>
      ) : (
        <Terms agreed={agreed} onChange={setAgreed} />
      )}
      {error !== null && (
        <Alert variant="destructive">
          <AlertDescription>{error}</AlertDescription>
        </Alert>
      )}
      <div className="flex flex-wrap items-center gap-3">
        <Button disabled={mustAgree} aria-describedby={reasonId} loading={leavingBy !== null} onClick={goOn}>
          Continue on Stripe
        </Button>
        <DisabledReason id={reasonId} reason={mustAgree ? 'Agree to the terms first.' : null} />
      </div>
    </>
  )
}

/** Only for somebody who has agreed to the terms: starting is agreeing. */
function useNewLink(wanted: boolean, start: () => void): void {
  const done = useRef(false)
  useEffect(() => {
    if (!wanted || done.current) return
    done.current = true
    if (allowsAutomaticTry()) start()
  })
}

function Terms({ agreed, onChange }: { agreed: boolean; onChange: (agreed: boolean) => void }) {
  const id = useId()
  return (
    <>
      <p>Get paid by the people who follow you. Stripe checks who you are and pays you out.</p>
      <ul id={`${id}-terms`} className="list-disc space-y-1.5 pl-5 text-sm text-muted-foreground">
        {payoutTerms(settings.platformFeePercent).map((term) => (
          <li key={term}>{term}</li>
        ))}
      </ul>
      <div className="flex items-start gap-3 py-1">
        <Checkbox
          id={`${id}-agreed`}
          className="mt-0.5"
          aria-describedby={`${id}-terms`}
          checked={agreed}
          onCheckedChange={onChange}
        />
        <Label htmlFor={`${id}-agreed`} className="cursor-pointer leading-6 font-normal">
          I have read and agree to the above statements.
        </Label>
      </div>
    </>
  )
}

/**
 * The payout account was rejected for good: there is nothing to do here or at Stripe (rule G-56).
 * @param isFollowed whether somebody still pays to follow the trader
 */
function PayoutsRejected({ isFollowed }: { isFollowed: boolean }) {
  return (
    <>
      <p className="font-medium">{refusalMessage('payouts_rejected')}</p>
      <p className="text-muted-foreground">{rejectedFollowers(isFollowed)}</p>
      <p className="text-muted-foreground">{REJECTED_REASON}</p>
    </>
  )
}
