import type { Factor } from '@supabase/auth-js'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { formatDate } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import {
  Dialog,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogTitle,
} from '../../ui/dialog.tsx'
import { FieldError } from '../../ui/field-error.tsx'
import { CodeField } from './code-field.tsx'
import { MailedCode } from './mailed-code.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import { confirmFactor, removeFactor } from './two-step.api.ts'

type TwoStepOnProps = {
  /** The confirmed ones. */
  factors: Factor[]
  takesFocus: boolean
  /** Recovery codes that were made a moment ago, until the person has kept them. */
  codes: string[] | null
  onCodes: (codes: string[] | null) => void
  onRemoved: () => void
}

/** The authenticator apps that guard the account: one, unless another client enrolled more. */
export function TwoStepOn({ factors, takesFocus, codes, onCodes, onRemoved }: TwoStepOnProps) {
  const [removing, setRemoving] = useState<Factor | null>(null)
  const sentence = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    if (takesFocus) sentence.current?.focus()
  }, [takesFocus])

  return (
    <>
      <p ref={sentence} tabIndex={-1} className="text-sm text-muted-foreground outline-none">
        On. Signing in also takes a code from your authenticator app.
      </p>
      <ul className="space-y-3">
        {factors.map((factor) => (
          <li key={factor.id} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
            <span className="wrap-anywhere">
              {`${factor.friendly_name || 'Authenticator app'}, since ${formatDate(factor.created_at)}`}
            </span>
            <Button variant="outline" size="sm" onClick={() => setRemoving(factor)}>
              Remove
            </Button>
          </li>
        ))}
      </ul>
      <RecoveryCodes codes={codes} onCodes={onCodes} />
      {removing !== null && (
        <RemoveFactor factorId={removing.id} onRemoved={onRemoved} onDismiss={() => setRemoving(null)} />
      )}
    </>
  )
}

type RemoveFactorProps = {
  factorId: string
  onRemoved: () => void
  onDismiss: () => void
}

/**
 * Asks before the account loses its second step. A session that was not confirmed with a code, or is so no longer, gives
 * one first, and one that was signed in to a while ago a mailed code: the server takes the removal from no other (rule G-41,
 * ADR 0031).
 */
function RemoveFactor(props: RemoveFactorProps) {
  const { onDismiss } = props
  const { codeNeeded, mailDue, code, setCode, pending, setPending, failure, submit, remove } =
    useRemoval(props)
  return (
    <Dialog open onOpenChange={(open) => !open && !pending && onDismiss()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Remove two-step verification?</DialogTitle>
          <DialogDescription>Afterwards the code from your e-mail is enough to sign in.</DialogDescription>
        </DialogHeader>
        {mailDue ? (
          <MailedCode onConfirmed={remove} onCancel={onDismiss} onBusyChange={setPending} />
        ) : (
          <form noValidate onSubmit={submit} className="space-y-5">
            {codeNeeded ? (
              <CodeField
                label="Confirm with the code that your app shows now"
                value={code}
                onChange={setCode}
                failure={failure}
                takesFocus
              />
            ) : (
              <FieldError>{failure}</FieldError>
            )}
            <DialogFooter>
              <Button variant="outline" disabled={pending} onClick={onDismiss}>
                Cancel
              </Button>
              <Button type="submit" variant="destructive" loading={pending}>
                Remove
              </Button>
            </DialogFooter>
          </form>
        )}
      </DialogContent>
    </Dialog>
  )
}

/** The removal, and what the server wants before it: a code of the app, a mailed one, or both. */
function useRemoval({ factorId, onRemoved, onDismiss }: RemoveFactorProps) {
  const [codeNeeded, setCodeNeeded] = useState(false)
  const [mailDue, setMailDue] = useState(false)
  const [code, setCode] = useState('')
  const [pending, setPending] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault()
    if (pending) return
    setPending(true)
    setFailure(null)
    const confirmed = codeNeeded ? await confirmFactor(factorId, code) : null
    if (confirmed?.kind === 'refused') setFailure(confirmed.sentence)
    else await remove()
    setPending(false)
  }

  async function remove(): Promise<void> {
    const answer = await removeFactor(factorId)
    setMailDue(answer.kind === 'mail_due')
    // The app's code was accepted before that, and works once.
    setCodeNeeded(answer.kind === 'code_needed')
    if (answer.kind === 'refused') return setFailure(answer.sentence)
    if (answer.kind !== 'removed') return
    onDismiss()
    onRemoved()
  }
  return { codeNeeded, mailDue, code, setCode, pending, setPending, failure, submit, remove }
}
