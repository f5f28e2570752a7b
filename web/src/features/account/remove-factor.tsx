import { type FormEvent, useState } from 'react'
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
import { AuthenticatorCodeField } from './authenticator-code-field.tsx'
import { confirmFactor, removeFactor } from './two-step.api.ts'

type RemoveFactorProps = {
  factorId: string
  onRemoved: () => void
  onDismiss: () => void
}

/**
 * Asks before the account loses its second step. A session that was not confirmed with a code, or is so no longer, gives
 * one first: the server takes the removal from no other (decision G-41).
 */
export function RemoveFactor({ factorId, onRemoved, onDismiss }: RemoveFactorProps) {
  const [codeNeeded, setCodeNeeded] = useState(false)
  const [code, setCode] = useState('')
  const [pending, setPending] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault()
    if (pending) return
    setPending(true)
    setFailure(null)
    const confirmed = codeNeeded ? await confirmFactor(factorId, code) : null
    const answer = confirmed?.kind === 'refused' ? confirmed : await removeFactor(factorId)
    setPending(false)
    if (answer.kind === 'refused') return setFailure(answer.sentence)
    if (answer.kind === 'code_needed') return setCodeNeeded(true)
    onDismiss()
    onRemoved()
  }

  return (
    <Dialog open onOpenChange={(open) => !open && !pending && onDismiss()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Remove two-step verification?</DialogTitle>
          <DialogDescription>Afterwards the code from your e-mail is enough to sign in.</DialogDescription>
        </DialogHeader>
        <form noValidate onSubmit={submit} className="space-y-5">
          {codeNeeded ? (
            <AuthenticatorCodeField
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
      </DialogContent>
    </Dialog>
  )
}
