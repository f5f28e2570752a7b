import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { AuthenticatorSecret } from './authenticator-secret.tsx'
import { CodeField } from './code-field.tsx'
import { MailedCode } from './mailed-code.tsx'
import { confirmFactor, type Enrolment } from './two-step.api.ts'

type TwoStepSetUpProps = { enrolment: Enrolment; onConfirmed: () => void; onCancel: () => void }

/** An enrolment on its way: what the app has to know, and the first code that proves that it does. */
export function TwoStepSetUp({ enrolment, onConfirmed, onCancel }: TwoStepSetUpProps) {
  const [code, setCode] = useState('')
  const [pending, setPending] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const [mail, setMail] = useState<'not due' | 'due' | 'given'>('not due')
  const title = useRef<HTMLHeadingElement>(null)
  const id = useId()
  useEffect(() => title.current?.focus(), [])

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault()
    if (pending) return
    setPending(true)
    setFailure(null)
    const answer = await confirmFactor(enrolment.factorId, code)
    setPending(false)
    if (answer.kind === 'refused') setFailure(answer.sentence)
    if (answer.kind === 'mail_due') setMail('due')
    if (answer.kind === 'confirmed') onConfirmed()
  }

  // The sign-in has grown old while the app was set up. The app's code will be another one afterwards.
  async function goOn(): Promise<void> {
    setCode('')
    setMail('given')
  }

  if (mail === 'due') return <MailedCode onConfirmed={goOn} onCancel={onCancel} />

  return (
    <form noValidate onSubmit={submit} aria-labelledby={`${id}-title`} className="space-y-5">
      <h4 ref={title} id={`${id}-title`} tabIndex={-1} className="text-sm text-muted-foreground outline-none">
        Scan the picture with your authenticator app.
      </h4>
      <AuthenticatorSecret qrCodeUrl={enrolment.qrCodeUrl} secret={enrolment.secret} />
      <CodeField
        label="Code from the app"
        hint="Six digits. Confirming signs out your other browsers and devices."
        value={code}
        onChange={setCode}
        failure={failure}
        takesFocus={mail === 'given'}
      />
      <div className="flex flex-wrap gap-3">
        <Button type="submit" loading={pending}>
          Confirm
        </Button>
        <Button variant="outline" disabled={pending} onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
