import { LOGIN_FAILURE_MESSAGE } from '@tradepost/contract/auth'
import { EMAIL_PROBLEMS } from '@tradepost/contract/email-address'
import { readCode } from '@tradepost/contract/typed-code'
import { type FormEvent, useEffect, useEffectEvent, useRef, useState } from 'react'
import { codeTyped } from '../../lib/code-typed.ts'
import { Button } from '../../ui/button.tsx'
import { FieldError } from '../../ui/field-error.tsx'
import { Input } from '../../ui/input.tsx'
import { Label } from '../../ui/label.tsx'
import { toast } from '../../ui/toast.ts'
import type { SentCode } from './sent-code.ts'
import { askReturned, type Sending, sendCode, signInWithCode } from './sign-in.ts'
import { StepHeading } from './step-heading.tsx'

/** Seconds after a code was asked for: most refusals come within seconds, most bounces within minutes. */
const LOOKS_AT = [5, 15, 45, 120, 300]

/** One mail a minute and address (rule G-04). */
const SPACING_MS = 60_000

type ResendButtonProps = { sent: SentCode; onSentAgain: (sending: Sending) => void }

type CodeStepProps = {
  sent: SentCode
  mailboxUrl: string | null
  onSentAgain: (sending: Sending) => void
  /** It was learnt whether the mail came back. */
  onReturned: (returned: boolean) => void
  onBack: () => void
}

/**
 * Step 2. The field has no bound of any kind (docs/specification.md section 5) and Continue is always enabled (rule G-61).
 * Where the mail came back the sentence of a failed sign-in stands there at once, and why below it (ADR 0091).
 */
export function CodeStep({ sent, mailboxUrl, onSentAgain, onReturned, onBack }: CodeStepProps) {
  const { field, code, setCode, pending, failed: refused, submit } = useCode(sent.email)
  const returned = sent.returned === true
  const failed = refused || returned
  useReturned(sent, onReturned)
  return (
    <div className="space-y-6">
      <form noValidate onSubmit={submit} className="space-y-6">
        <WhereItWent sent={sent} />
        <div className="space-y-2">
          <Label htmlFor="code">Code</Label>
          <Input
            ref={field}
            id="code"
            name="code"
            inputMode="numeric"
            autoComplete="one-time-code"
            className="text-lg tracking-[0.2em] tabular-nums sm:text-lg"
            value={code}
            onChange={(event) => setCode(codeTyped(event))}
            aria-invalid={failed || undefined}
            aria-describedby="code-error code-problem"
          />
          <FieldError id="code-error">{failed ? LOGIN_FAILURE_MESSAGE : null}</FieldError>
          <FieldError id="code-problem">{returned ? EMAIL_PROBLEMS.returned : null}</FieldError>
        </div>
        <Button type="submit" className="w-full" loading={pending}>
          Continue
        </Button>
      </form>
      {mailboxUrl !== null && <SandboxMailbox url={mailboxUrl} />}
      <div className="flex flex-wrap justify-between gap-2">
        <Button variant="link" size="sm" className="px-0" onClick={onBack}>
          Use a different e-mail
        </Button>
        <ResendButton sent={sent} onSentAgain={onSentAgain} />
      </div>
    </div>
  )
}

/** The code as it is typed, and signing in with it; what fails stays, selected, to be typed over. */
function useCode(email: string) {
  const [code, setCode] = useState('')
  const [pending, setPending] = useState(false)
  const [failed, setFailed] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault()
    if (pending) return
    setPending(true)
    setFailed(false)
    const understood = readCode(code) ?? code
    setCode(understood)
    const signedIn = await signInWithCode(email, understood)
    setPending(false)
    setFailed(!signedIn)
    if (signedIn) return
    field.current?.focus()
    field.current?.select()
  }
  return { field, code, setCode, pending, failed, submit }
}

function WhereItWent({ sent }: { sent: SentCode }) {
  return (
    <StepHeading title="Check your e-mail">
      <span>{`${
        sent.mailed
          ? 'We sent a code to'
          : 'No more mails can be sent just now. Type the newest code that went to'
      } `}</span>
      <strong translate="no" className="font-medium wrap-anywhere text-foreground">
        {sent.email.trim()}
      </strong>
      <span>
        {sent.mailed ? '. Type it here, or open the link beside it.' : ', or open the link beside it.'}
      </span>
    </StepHeading>
  )
}

function SandboxMailbox({ url }: { url: string }) {
  return (
    <p className="text-sm text-muted-foreground">
      <span>{'This is a sandbox: the mail is in '}</span>
      <a href={url} target="_blank" rel="noreferrer" className="font-medium underline underline-offset-4">
        the sandbox mailbox
      </a>
      <span>.</span>
    </p>
  )
}

/** Asks for a new code; the older one is dead then. */
function ResendButton({ sent, onSentAgain }: ResendButtonProps) {
  const [now, setNow] = useState(Date.now)
  const [pending, setPending] = useState(false)
  const secondsLeft = Math.ceil((sent.at + SPACING_MS - now) / 1000)
  const waiting = secondsLeft > 0

  useEffect(() => {
    if (!waiting) return
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [waiting])

  async function resend(): Promise<void> {
    setPending(true)
    const sending = await sendCode(sent.email)
    setPending(false)
    if (sending.outcome !== 'sent' && sending.outcome !== 'returned') {
      toast.error(LOGIN_FAILURE_MESSAGE)
      return
    }
    onSentAgain(sending)
    setNow(Date.now())
    // No toast where mails come back: the field shows that below.
    if (sending.outcome === 'sent') toast.success('A new code is on its way.')
  }

  return (
    <Button
      variant="link"
      size="sm"
      className="px-0 tabular-nums"
      disabled={waiting}
      loading={pending}
      onClick={resend}
    >
      {waiting ? `Send again in ${secondsLeft} s` : 'Send again'}
    </Button>
  )
}

/** Asks now and then whether the mail with the code has come back, so that nobody waits for a mail that will not come (ADR 0091). */
function useReturned(sent: SentCode, onLearnt: (returned: boolean) => void): void {
  const { at, codeChallenge, email, returned = false } = sent
  const report = useEffectEvent((learnt: boolean) => {
    if (learnt !== returned) onLearnt(learnt)
  })
  useEffect(() => {
    if (codeChallenge === undefined) return
    let current = true
    async function look(challenge: string): Promise<void> {
      const learnt = await askReturned(email, challenge)
      if (current && learnt !== null) report(learnt)
    }
    const waits = LOOKS_AT.map((seconds) => at + seconds * 1000 - Date.now())
    const timers = waits.filter((wait) => wait >= 0).map((wait) => setTimeout(look, wait, codeChallenge))
    // A page that slept, or was loaded again, has missed some.
    if (timers.length < LOOKS_AT.length) void look(codeChallenge)
    return () => {
      current = false
      for (const timer of timers) clearTimeout(timer)
    }
  }, [at, codeChallenge, email])
}
