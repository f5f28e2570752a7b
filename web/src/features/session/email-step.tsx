import { LOGIN_FAILURE_MESSAGE } from '@tradepost/contract/auth'
import { seenEmail } from '@tradepost/contract/email-address'
import { LOGIN_EMAIL_MIN_LENGTH } from '@tradepost/contract/limits'
import { webPaths } from '@tradepost/contract/web-paths'
import { type FormEvent, type MouseEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { Alert, AlertDescription } from '../../ui/alert.tsx'
import { Button, buttonLook } from '../../ui/button.tsx'
import { DisabledReason } from '../../ui/disabled-reason.tsx'
import { FieldError } from '../../ui/field-error.tsx'
import { Input } from '../../ui/input.tsx'
import { Label } from '../../ui/label.tsx'
import type { Sending, sendCode } from './sign-in.ts'
import { StepHeading } from './step-heading.tsx'

type EmailStepProps = {
  email: string
  onEmailChange: (email: string) => void
  /** Has the code mailed. */
  send: typeof sendCode
  /** @param email as it was understood */
  onSent: (email: string, sending: Sending) => void
  /** To the code step with a code that is in the mailbox already, or on its way. */
  onHaveCode: (sending: Sending) => void
  /** Why one is back here. */
  notice: string | null
  /** Moves the focus to the field when the step appears: what had it before is gone. */
  takesFocus: boolean
}

/**
 * Step 1. The length alone enables Continue, and the browser's own check of addresses is off (rule G-70). Where no more
 * mails go to the address, a code that went before still works, so the way on stays open (rule G-04).
 */
export function EmailStep({ email, onEmailChange, notice, takesFocus, ...ways }: EmailStepProps) {
  const { pending, failure, submit, forget } = useSending({ email, onEmailChange, ...ways })
  const field = useRef<HTMLInputElement>(null)
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
          ref={field}
          email={email}
          onChange={onEmailChange}
          failure={failure}
          takesFocus={takesFocus}
        />
        {failure && (
          <WaysOn
            failure={failure}
            onHaveCode={() => ways.onHaveCode(failure)}
            onOther={() => {
              forget()
              onEmailChange('')
              field.current?.focus()
            }}
          />
        )}
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
        <Documents />
      </div>
    </form>
  )
}

/** The ways to the texts that hold for whoever signs up; full loads, outside of the app. */
function Documents() {
  const link =
    'inline-flex min-h-11 items-center rounded-sm underline underline-offset-4 outline-none focus-visible:ring-2 focus-visible:ring-ring sm:min-h-0'
  return (
    <p className="flex justify-center gap-x-5 text-sm text-muted-foreground">
      <a href={webPaths.terms} className={link}>
        Terms
      </a>
      <a href={webPaths.privacy} className={link}>
        Privacy
      </a>
    </p>
  )
}

type SendingOf = Pick<EmailStepProps, 'email' | 'onEmailChange' | 'send' | 'onSent'>

/** The mail on its way, and why it did not go. The field shows what was understood of what was typed. */
function useSending({ email, onEmailChange, send, onSent }: SendingOf) {
  const [pending, setPending] = useState(false)
  const [failure, setFailure] = useState<Sending | null>(null)

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault()
    if (email.length < LOGIN_EMAIL_MIN_LENGTH || pending) return
    setPending(true)
    setFailure(null)
    const seen = seenEmail(email)
    onEmailChange(seen)
    const sending = await send(seen)
    setPending(false)
    if (sending.outcome === 'sent') onSent(seen, sending)
    else setFailure(sending)
  }
  return { pending, failure, submit, forget: () => setFailure(null) }
}

type EmailFieldProps = Pick<EmailStepProps, 'email' | 'takesFocus'> & {
  ref: RefObject<HTMLInputElement | null>
  onChange: (email: string) => void
  failure: Sending | null
}

function EmailField({ ref, email, onChange, failure, takesFocus }: EmailFieldProps) {
  useEffect(() => {
    if (takesFocus) ref.current?.focus()
  }, [ref, takesFocus])
  return (
    <>
      <Label htmlFor="email">E-mail</Label>
      <Input
        ref={ref}
        id="email"
        name="email"
        // With type="email", browsers turn the domain into ASCII, in which nobody recognises it.
        inputMode="email"
        autoComplete="email"
        autoCapitalize="none"
        spellCheck={false}
        placeholder="you@example.com"
        value={email}
        onChange={(event) => onChange(event.currentTarget.value)}
        aria-invalid={failure !== null || undefined}
        aria-describedby="email-error email-problem"
      />
      <FieldError id="email-error">{failure && LOGIN_FAILURE_MESSAGE}</FieldError>
      <FieldError id="email-problem">{failure?.problem}</FieldError>
    </>
  )
}

type WaysOnProps = { failure: Sending; onHaveCode: () => void; onOther: () => void }

/** Below the reason, the possible next steps. Where mails come back, another mail was tried, so there may be a code. */
function WaysOn({ failure: { outcome, problem }, onHaveCode, onOther }: WaysOnProps) {
  function follow(event: MouseEvent): void {
    event.preventDefault()
    onHaveCode()
  }
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4">
      {outcome === 'limited' && (
        <p className="text-sm text-muted-foreground">
          If a code was mailed to you not long ago, it still works.
        </p>
      )}
      {problem !== null && (
        <Button variant="link" size="sm" className="px-0" onClick={onOther}>
          Use a different e-mail
        </Button>
      )}
      {(outcome === 'limited' || outcome === 'returned') && (
        <a
          href={webPaths.login}
          onClick={follow}
          {...buttonLook({ variant: 'link', size: 'sm', className: 'justify-start px-0' })}
        >
          I have a code
        </a>
      )}
    </div>
  )
}
