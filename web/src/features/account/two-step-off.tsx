import { useEffect, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { FieldError } from '../../ui/field-error.tsx'
import { isMailedCodeDue } from './mailed-code.api.ts'
import { MailedCode } from './mailed-code.tsx'
import { type Enrolment, enrol } from './two-step.api.ts'

type TwoStepOffProps = {
  /** Whether a set-up was begun and never confirmed, say because the page was left. */
  unfinished: boolean
  takesFocus: boolean
  onEnrolled: (enrolment: Enrolment) => void
}

/** What two-step verification is, and the way to it. */
export function TwoStepOff({ unfinished, takesFocus, onEnrolled }: TwoStepOffProps) {
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
