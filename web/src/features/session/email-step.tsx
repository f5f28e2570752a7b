import { LOGIN_FAILURE_MESSAGE } from '@tradepost/contract/auth'
import { LOGIN_EMAIL_MIN_LENGTH } from '@tradepost/contract/limits'
import { webPaths } from '@tradepost/contract/web-paths'
import { type FormEvent, type MouseEvent, useEffect, useRef, useState } from 'react'
import { Alert, AlertDescription } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { DisabledReason } from '../../ui/disabled-reason.tsx'
import { FieldError } from '../../ui/field-error.tsx'
import { Input } from '../../ui/input.tsx'
import { Label } from '../../ui/label.tsx'
import type { sendCode } from './sign-in.ts'
import { StepHeading } from './step-heading.tsx'

type EmailStepProps = {
  email: string
  onEmailChange: (email: string) => void
  /** Has the code mailed. */
  send: typeof sendCode
  onSent: () => void
  /** To the code step with a code that is in the mailbox already. */
  onHaveCode: () => void
  /** Why one is back here. */
  notice: string | null
  /** Moves the focus to the field when the step appears: what had it before is gone. */
  takesFocus: boolean
}

/**
 * Step 1. The length alone enables Continue, and the browser's own check of addresses is off (decision G-70). Where no more
 * mails go to the address, a code that went before still works, so the way on stays open (decision G-04).
 */
export function EmailStep({ email, onEmailChange, notice, takesFocus, ...ways }: EmailStepProps) {
  const { pending, failure, submit } = useSending(email, ways)
  const tooShort = email.length < LOGIN_EMAIL_MIN_LENGTH
  return (
    <form noValidate onSubmit={submit} className="space-y-6">
      <StepHeading title="Log in or sign up">
        We mail you a code and a link. There is no password, and the first sign-in creates your account.
      </StepHeading>
      {notice && (
        <Alert>
          <AlertDescription>{notice}</AlertDescription>
        </Alert>
      )}
      <div className="space-y-2">
        <EmailField
          email={email}
          onChange={onEmailChange}
          failed={failure !== null}
          takesFocus={takesFocus}
        />
        {failure === 'limited' && <HaveCode onHaveCode={ways.onHaveCode} />}
      </div>
      <div className="space-y-2">
        <Button
          type="submit"
          className="w-full"
          loading={pending}
          disabled={tooShort}
          aria-describedby="email-reason"
        >
          Continue
        </Button>
        <DisabledReason
          id="email-reason"
          reason={tooShort ? 'Enter your e-mail address.' : null}
          className="text-center"
        />
      </div>
    </form>
  )
}

/** The mail on its way, and why it did not go. */
function useSending(email: string, { send, onSent }: Pick<EmailStepProps, 'send' | 'onSent'>) {
  const [pending, setPending] = useState(false)
  const [failure, setFailure] = useState<'limited' | 'failed' | null>(null)

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault()
    if (email.length < LOGIN_EMAIL_MIN_LENGTH || pending) return
    setPending(true)
    setFailure(null)
    const outcome = await send(email)
    setPending(false)
    if (outcome === 'sent') onSent()
    else setFailure(outcome)
  }
  return { pending, failure, submit }
}

type EmailFieldProps = Pick<EmailStepProps, 'email' | 'takesFocus'> & {
  onChange: (email: string) => void
  failed: boolean
}

function EmailField({ email, onChange, failed, takesFocus }: EmailFieldProps) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (takesFocus) field.current?.focus()
  }, [takesFocus])
  return (
    <>
      <Label htmlFor="email">E-mail</Label>
      <Input
        ref={field}
        id="email"
        name="email"
        type="email"
        autoComplete="email"
        autoCapitalize="none"
        spellCheck={false}
        placeholder="you@example.com"
        value={email}
        onChange={(event) => onChange(event.currentTarget.value)}
        aria-invalid={failed || undefined}
        aria-describedby="email-error"
      />
      <FieldError id="email-error">{failed ? LOGIN_FAILURE_MESSAGE : null}</FieldError>
    </>
  )
}

function HaveCode({ onHaveCode }: Pick<EmailStepProps, 'onHaveCode'>) {
  function follow(event: MouseEvent): void {
    event.preventDefault()
    onHaveCode()
  }
  return (
    <Button asChild variant="link" size="sm" className="justify-start px-0">
      <a href={webPaths.login} onClick={follow}>
        I have a code
      </a>
    </Button>
  )
}
