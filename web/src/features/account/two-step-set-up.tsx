import { Copy } from 'lucide-react'
import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.ts'
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

type AuthenticatorSecretProps = {
  /** The picture as a data URL, as the sign-in client hands it on. */
  qrCodeUrl: string
  /** Base32. */
  secret: string
}

/** The secret for an authenticator app: to be scanned, or to be typed. */
function AuthenticatorSecret({ qrCodeUrl, secret }: AuthenticatorSecretProps) {
  return (
    <div className="flex flex-col gap-5 sm:flex-row">
      {/* White around it in both themes: a camera needs the edge. */}
      <img
        src={qrCodeUrl}
        alt="QR code of the secret"
        width={208}
        height={208}
        className="size-52 shrink-0 rounded-lg border border-border bg-white"
      />
      <div className="min-w-0 space-y-2 text-sm">
        <p className="text-muted-foreground">Or type this secret into the app:</p>
        <p
          translate="no"
          className="rounded-md bg-muted px-3 py-2 font-mono text-[0.9375rem] leading-relaxed select-all"
        >
          {groupsOfFour(secret)}
        </p>
        <Button variant="outline" size="sm" onClick={() => void copy(secret)}>
          <Copy aria-hidden="true" />
          <span>Copy secret</span>
        </Button>
        <p className="text-muted-foreground">
          It is not shown again. Once it is confirmed you get recovery codes, should you lose your app.
        </p>
      </div>
    </div>
  )
}

/** As people read it aloud and type it; apps ignore the spaces. */
function groupsOfFour(secret: string): string {
  return secret.match(/.{1,4}/g)?.join(' ') ?? secret
}

async function copy(secret: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(secret)
    toast.success('Secret copied.')
  } catch {
    // The browser has no clipboard here, or keeps it to itself.
    toast.error('Copying did not work. Please select the secret instead.')
  }
}
