import { LOGIN_FAILURE_MESSAGE } from '@tradepost/contract/auth'
import { refusalMessage } from '@tradepost/contract/errors'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import type { CodeRefusal } from '../../lib/authenticator.ts'
import { Button } from '../../ui/button.tsx'
import { FieldError } from '../../ui/field-error.tsx'
import { Input } from '../../ui/input.tsx'
import { Label } from '../../ui/label.tsx'
import { abandonSignIn, signInWithAuthenticator } from './sign-in.ts'
import { StepHeading } from './step-heading.tsx'

type FactorStepProps = {
  email: string
  factorIds: string[]
  /** The session that waits for its second step was ended elsewhere. */
  onEnded: () => void
}

/**
 * Step 3, for people with two-step verification (decision G-41): the code of the authenticator app. Success is seen by
 * the guard of /login.
 */
export function FactorStep({ email, factorIds, onEnded }: FactorStepProps) {
  const [code, setCode] = useState('')
  const [pending, setPending] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault()
    if (pending) return
    setPending(true)
    setFailure(null)
    const outcome = await signInWithAuthenticator(factorIds, code)
    setPending(false)
    if (outcome === 'confirmed') return
    if (outcome === 'ended') return onEnded()
    setFailure(sentenceOf(outcome))
    field.current?.focus()
    field.current?.select()
  }

  return (
    <div className="space-y-6">
      <form noValidate onSubmit={submit} className="space-y-6">
        <StepHeading title="Two-step verification">
          Type the code that your authenticator app shows for{' '}
          <strong className="font-medium wrap-anywhere text-foreground">{email}</strong>.
        </StepHeading>
        <div className="space-y-2">
          <Label htmlFor="authenticator-code">Authenticator code</Label>
          <Input
            ref={field}
            id="authenticator-code"
            name="authenticator-code"
            inputMode="numeric"
            autoComplete="one-time-code"
            className="text-lg tracking-[0.2em] tabular-nums sm:text-lg"
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
            aria-invalid={failure !== null || undefined}
            aria-describedby="authenticator-code-hint authenticator-code-error"
          />
          <FieldError id="authenticator-code-error">{failure}</FieldError>
          <p id="authenticator-code-hint" className="text-sm text-muted-foreground">
            It changes every 30 seconds, and each code works once.
          </p>
        </div>
        <Button type="submit" className="w-full" loading={pending}>
          Continue
        </Button>
      </form>
      <Button variant="link" size="sm" className="px-0" onClick={() => void abandonSignIn()}>
        Use a different e-mail
      </Button>
    </div>
  )
}

/** The one sentence of a failed sign-in (product.md section 8); who must wait is told that too. */
function sentenceOf(outcome: CodeRefusal): string {
  return outcome === 'limited'
    ? `${LOGIN_FAILURE_MESSAGE} ${refusalMessage('rate_limited')}`
    : LOGIN_FAILURE_MESSAGE
}
