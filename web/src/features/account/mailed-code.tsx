import { refusalMessage } from '@tradepost/contract/errors'
import { FALLBACK_MESSAGE } from '@tradepost/contract/fallback-message'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { CodeField } from './code-field.tsx'
import { giveMailedCode, mailCode } from './mailed-code.api.ts'

type MailedCodeProps = {
  /** Goes on with what the code was asked for. */
  onConfirmed: () => Promise<void>
  onCancel: () => void
  /** Called with true while a code is checked and what it was asked for goes on, so that a window around it stays. */
  onBusyChange?: (isBusy: boolean) => void
}

const SENTENCES = {
  sending: 'Sending a code to your e-mail …',
  sent: 'You signed in a while ago, so we sent a code to your e-mail. Type it here to go on.',
  limited: 'No more mails can be sent just now. Type the newest code that we sent to your e-mail.',
  ended: refusalMessage('unauthorized'),
  failed: FALLBACK_MESSAGE,
}

/** Proves the mailbox again before the second step of signing in is changed (ADR 0031). */
export function MailedCode({ onConfirmed, onCancel, onBusyChange }: MailedCodeProps) {
  const [mail, setMail] = useState<keyof typeof SENTENCES>('sending')
  const [code, setCode] = useState('')
  const [pending, setPending] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const asked = useRef(false)

  async function send(): Promise<void> {
    setMail('sending')
    setFailure(null)
    setMail(await mailCode())
  }

  // Once, however often effects run: each mail ends the code of the one before.
  useEffect(() => {
    if (asked.current) return
    asked.current = true
    void mailCode().then(setMail)
  }, [])

  function setBusy(isBusy: boolean): void {
    setPending(isBusy)
    onBusyChange?.(isBusy)
  }

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault()
    if (pending) return
    setBusy(true)
    setFailure(null)
    const refused = await giveMailedCode(code)
    if (refused === null) await onConfirmed()
    setBusy(false)
    setFailure(refused)
  }

  return (
    <form noValidate onSubmit={submit} className="space-y-5">
      <p role="status" className="text-sm text-muted-foreground">
        {SENTENCES[mail]}
      </p>
      <CodeField label="Code from your e-mail" value={code} onChange={setCode} failure={failure} takesFocus />
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" loading={pending}>
          Confirm
        </Button>
        <Button variant="outline" disabled={pending} onClick={onCancel}>
          Cancel
        </Button>
        <Button
          variant="link"
          className="min-w-0 px-0"
          disabled={pending || mail === 'sending'}
          onClick={() => void send()}
        >
          Send again
        </Button>
      </div>
    </form>
  )
}
