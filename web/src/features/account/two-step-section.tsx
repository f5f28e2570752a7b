import { FALLBACK_MESSAGE } from '@tradepost/contract/fallback-message'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { FieldError } from '../../ui/field-error.tsx'
import { RefreshFailure } from '../../ui/refresh-failure.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { isMailedCodeDue } from './mailed-code.api.ts'
import { MailedCode } from './mailed-code.tsx'
import { makeRecoveryCodes } from './recovery-codes.api.ts'
import { type Enrolment, enrol, giveUp, isGivenUp, useFactors } from './two-step.api.ts'
import { TwoStepOn } from './two-step-on.tsx'
import { TwoStepSetUp } from './two-step-set-up.tsx'

/** Account > Profile: "Two-step verification" (rule G-41), off, being set up, or on. */
export function TwoStepSection() {
  return (
    <section aria-labelledby="two-step-title" className="space-y-3 border-t border-border pt-4">
      <h3 id="two-step-title" className="text-sm font-medium">
        Two-step verification
      </h3>
      <TwoStep />
    </section>
  )
}

function TwoStep() {
  const { factors, isError, refetch, isOn, confirmed, enrolment, ...rest } = useTwoStep()
  if (factors === undefined) {
    return isError ? (
      <RefreshFailure message={FALLBACK_MESSAGE} onRetry={() => void refetch()} />
    ) : (
      <TwoStepSkeleton />
    )
  }
  if (isOn) {
    return (
      <TwoStepOn
        factors={confirmed}
        takesFocus={rest.acted}
        codes={rest.codes}
        onCodes={rest.setCodes}
        onRemoved={rest.removed}
      />
    )
  }
  if (enrolment !== null) {
    return (
      <TwoStepSetUp
        enrolment={enrolment}
        onConfirmed={() => void rest.offerCodes()}
        onCancel={() => rest.cancel(enrolment)}
      />
    )
  }
  return <TwoStepOff unfinished={factors.some(isGivenUp)} takesFocus={rest.acted} onEnrolled={rest.begin} />
}

/** The factors of the account, the set-up in progress, and the codes that are shown once. */
function useTwoStep() {
  const { data: factors, isError, refetch } = useFactors()
  const [enrolment, setEnrolment] = useState<Enrolment | null>(null)
  const [codes, setCodes] = useState<string[] | null>(null)
  // Once somebody has acted here, the focus moves to the element that takes the place of the pressed one.
  const [acted, setActed] = useState(false)
  const confirmed = factors?.filter(({ status }) => status === 'verified') ?? []
  const isOn = confirmed.length > 0

  // Confirmed here or in another tab: an enrolment that is still in hand is worth nothing now.
  useEffect(() => {
    if (isOn) setEnrolment(null)
  }, [isOn])

  function begin(begun: Enrolment): void {
    setActed(true)
    setEnrolment(begun)
  }

  function cancel({ factorId }: Enrolment): void {
    setEnrolment(null)
    void giveUp(factorId).then(() => refetch())
  }

  // Where that fails, the section shows that there are none.
  async function offerCodes(): Promise<void> {
    const answer = await makeRecoveryCodes()
    if (answer.kind === 'made') setCodes(answer.codes)
  }

  function removed(): void {
    setActed(true)
    setCodes(null)
    void refetch()
  }

  const known = { factors, isError, confirmed, isOn, enrolment, codes, acted }
  return { ...known, refetch, begin, cancel, offerCodes, setCodes, removed }
}

function TwoStepSkeleton() {
  return (
    <div role="status" aria-label="Loading two-step verification" aria-busy="true">
      <Skeleton className="h-24 sm:h-18" />
    </div>
  )
}

type TwoStepOffProps = {
  /** Whether a set-up was begun and never confirmed, for instance because the page was left. */
  unfinished: boolean
  takesFocus: boolean
  onEnrolled: (enrolment: Enrolment) => void
}

/** An explanation of two-step verification, and the way to it. */
function TwoStepOff({ unfinished, takesFocus, onEnrolled }: TwoStepOffProps) {
  const [pending, setPending] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const [proving, setProving] = useState(false)
  const [returned, setReturned] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (takesFocus || returned) button.current?.focus()
  }, [takesFocus, returned])

  // Asked for before the app is set up: its first code would have changed by the time the mail is read.
  async function begin(): Promise<void> {
    setPending(true)
    setFailure(null)
    if (await isMailedCodeDue()) setProving(true)
    else await goOn()
    setPending(false)
  }

  async function goOn(): Promise<void> {
    const begun = await enrol()
    setProving(false)
    if (begun.kind === 'enrolled') onEnrolled(begun.enrolment)
    else setFailure(begun.sentence)
  }

  if (proving) {
    return (
      <MailedCode
        onConfirmed={goOn}
        onCancel={() => {
          setProving(false)
          setReturned(true)
        }}
      />
    )
  }
  return (
    <>
      <p className="text-sm text-muted-foreground">
        {unfinished
          ? 'A set-up was begun and not finished. Starting again gives you a new secret; delete the earlier entry from your app.'
          : 'Off. Once it is on, signing in also takes a code from an authenticator app.'}
      </p>
      <FieldError>{failure}</FieldError>
      <Button ref={button} variant="outline" loading={pending} onClick={() => void begin()}>
        Set up two-step verification
      </Button>
    </>
  )
}
