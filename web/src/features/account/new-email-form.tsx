import { seenEmail } from '@tradepost/contract/email-address'
import { EMAIL_UNDO_HOURS, LOGIN_EMAIL_MIN_LENGTH } from '@tradepost/contract/limits'
import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { DisabledReason } from '../../ui/disabled-reason.tsx'
import { FieldError } from '../../ui/field-error.tsx'
import { Input } from '../../ui/input.tsx'
import { Label } from '../../ui/label.tsx'
import { askForEmail } from './email-change.api.ts'

type NewEmailFormProps = {
  /** @param wanted the new address as the server spells it */
  onMailed: (wanted: string) => void
  onCancel: () => void
}

/** The new address; a text of some length enables the button, the server judges it, as at signing in (rule G-70). */
export function NewEmailForm({ onMailed, onCancel }: NewEmailFormProps) {
  const [typed, setTyped] = useState('')
  const [pending, setPending] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const field = useRef<HTMLInputElement>(null)
  const id = useId()
  const tooShort = typed.length < LOGIN_EMAIL_MIN_LENGTH
  useEffect(() => field.current?.focus(), [])

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault()
    if (tooShort || pending) return
    setPending(true)
    setFailure(null)
    const seen = seenEmail(typed)
    setTyped(seen)
    const answer = await askForEmail(seen)
    setPending(false)
    if ('wanted' in answer && answer.wanted !== null) return onMailed(answer.wanted)
    setFailure('refused' in answer ? answer.refused : 'That is your address already.')
    field.current?.focus()
  }

  return (
    <form noValidate onSubmit={submit} className="space-y-3">
      <div className="space-y-2">
        <Label htmlFor={id}>New e-mail address</Label>
        <Input
          ref={field}
          id={id}
          name="new-email"
          // With type="email", browsers turn the domain into ASCII, in which nobody recognises it.
          inputMode="email"
          autoComplete="email"
          autoCapitalize="none"
          spellCheck={false}
          placeholder="you@example.com"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          aria-invalid={failure !== null || undefined}
          aria-describedby={`${id}-error ${id}-hint`}
        />
        <FieldError id={`${id}-error`}>{failure}</FieldError>
        <p id={`${id}-hint`} className="text-sm text-muted-foreground">
          {`We send a code to each of the two addresses, and you type both here. Then other browsers and devices are signed out, and for ${EMAIL_UNDO_HOURS} hours the old address can take the change back.`}
        </p>
      </div>
      <div className="flex flex-wrap items-center gap-3">
        <Button
          type="submit"
          size="sm"
          loading={pending}
          disabled={tooShort}
          aria-describedby={`${id}-reason`}
        >
          Send codes
        </Button>
        <Button variant="outline" size="sm" disabled={pending} onClick={onCancel}>
          Cancel
        </Button>
        <DisabledReason id={`${id}-reason`} reason={tooShort ? 'Enter the new address.' : null} />
      </div>
    </form>
  )
}
