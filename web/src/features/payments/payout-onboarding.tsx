import { payoutTerms } from '@tradepost/contract/payments'
import { useEffect, useId, useRef, useState } from 'react'
import { settings } from '../../lib/settings.ts'
import { Alert, AlertDescription } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { DisabledReason } from '../../ui/disabled-reason.tsx'
import { Label } from '../../ui/label.tsx'
import { allowsAutomaticTry, forgetAutomaticTries } from './onboarding-tries.ts'
import { startOnboarding } from './payments.api.ts'
import { useDeparture } from './use-departure.ts'

type PayoutOnboardingProps = {
  /** Begun earlier: the terms were agreed to then, and the provider still waits for something or checks it. */
  started: boolean
  /** The provider sent the browser back for a new link; it goes there again automatically, twice at most. */
  linkExpired: boolean
  onFailure: () => void
}

/** The way to payouts: terms to agree to, then the provider's own pages (docs/specification.md section 4, decision G-51). */
export function PayoutOnboarding({ started, linkExpired, onFailure }: PayoutOnboardingProps) {
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
