import { LOGIN_FAILURE_MESSAGE } from '@tradepost/contract/auth'
import { refusalMessage } from '@tradepost/contract/errors'
import { readCode, readRecoveryCode } from '@tradepost/contract/typed-code'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import type { CodeRefusal } from '../../lib/authenticator.ts'
import { codeTyped } from '../../lib/code-typed.ts'
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

/** Texts of the two ways through the second step. The server takes either kind of code in the same call. */
const WORDS = {
  app: {
    sentence: 'Type the code that your authenticator app shows for',
    label: 'Authenticator code',
    hint: 'It changes every 30 seconds, and each code works once.',
    other: 'Use a recovery code',
  },
  recovery: {
    sentence: 'Type one of the recovery codes that you saved for',
    label: 'Recovery code',
    hint: 'Ten letters and digits. Each code works once.',
    other: 'Use your authenticator app',
  },
}

/** Reads typed text as a code of each kind, a recovery code as it is printed (`ABCDE-12345`); null for text that is none. */
const READ = {
  app: readCode,
  recovery: (typed: string) => readRecoveryCode(typed)?.replace(/^.{5}/, '$&-') ?? null,
}

/**
 * Step 3, for people with two-step verification (rule G-41): the code of the authenticator app, or a recovery code. After a
 * success the guard of /login leads on.
 */
export function FactorStep(props: FactorStepProps) {
  const { field, code, setCode, way, changeWay, pending, failure, submit } = useSecondStep(props)
  const words = WORDS[way]
  return (
    <div className="space-y-6">
      <form noValidate onSubmit={submit} className="space-y-6">
        <StepHeading title="Two-step verification">
          <span>{`${words.sentence} `}</span>
          <strong translate="no" className="font-medium wrap-anywhere text-foreground">
            {props.email}
          </strong>
          <span>.</span>
        </StepHeading>
        <div className="space-y-2">
          <Label htmlFor="authenticator-code">{words.label}</Label>
          <Input
            ref={field}
            id="authenticator-code"
            name="authenticator-code"
            inputMode={way === 'app' ? 'numeric' : 'text'}
            autoComplete={way === 'app' ? 'one-time-code' : 'off'}
            autoCapitalize="characters"
            spellCheck={false}
            className="text-lg tracking-[0.2em] tabular-nums sm:text-lg"
            value={code}
            onChange={(event) => setCode(codeTyped(event, READ[way]))}
            aria-invalid={failure !== null || undefined}
            aria-describedby="authenticator-code-hint authenticator-code-error"
          />
          <FieldError id="authenticator-code-error">{failure}</FieldError>
          <p id="authenticator-code-hint" className="text-sm text-muted-foreground">
            {words.hint}
          </p>
        </div>
        <Button type="submit" className="w-full" loading={pending}>
          Continue
        </Button>
      </form>
      <div className="flex flex-wrap justify-between gap-2">
        <Button variant="link" size="sm" className="px-0" onClick={() => void abandonSignIn()}>
          Use a different e-mail
        </Button>
        <Button variant="link" size="sm" className="px-0" disabled={pending} onClick={changeWay}>
          {words.other}
        </Button>
      </div>
    </div>
  )
}

/** The state of the form: the kind of code that is asked for, the text typed so far, and the sign-in with it. */
function useSecondStep({ factorIds, onEnded }: FactorStepProps) {
  const [code, setCode] = useState('')
  const [way, setWay] = useState<keyof typeof WORDS>('app')
  const [pending, setPending] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault()
    if (pending) return
    setPending(true)
    setFailure(null)
    const understood = READ[way](code) ?? code
    setCode(understood)
    const outcome = await signInWithAuthenticator(factorIds, understood)
    setPending(false)
    if (outcome === 'confirmed') return
    if (outcome === 'ended') return onEnded()
    setFailure(sentenceOf(outcome))
    field.current?.focus()
    field.current?.select()
  }

  function changeWay(): void {
    setWay(way === 'app' ? 'recovery' : 'app')
    setCode('')
    setFailure(null)
    field.current?.focus()
  }
  return { field, code, setCode, way, changeWay, pending, failure, submit }
}

/** The sentence of every failed sign-in (docs/specification.md section 8); after too many tries, one about waiting follows it. */
function sentenceOf(outcome: CodeRefusal): string {
  return outcome === 'limited'
    ? `${LOGIN_FAILURE_MESSAGE} ${refusalMessage('rate_limited')}`
    : LOGIN_FAILURE_MESSAGE
}
