import { refusalMessage } from '@tradepost/contract/errors'
import { USERNAME_MAX_LENGTH, USERNAME_MIN_LENGTH } from '@tradepost/contract/limits'
import { checkUsernameLetters } from '@tradepost/contract/username'
import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import { messageOf } from '../../lib/api-refusal.ts'
import { Alert, AlertDescription } from '../../ui/alert.tsx'
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
import { Input } from '../../ui/input.tsx'
import { Label } from '../../ui/label.tsx'
import { useSetUsername } from './username.api.ts'

/**
 * The error shown for a name while it is typed; only its length enables and disables the button (docs/specification.md section 5).
 */
function faultOf(wanted: string): string | null {
  if (wanted.length > USERNAME_MAX_LENGTH) return refusalMessage('username_too_long')
  const letters = checkUsernameLetters(wanted)
  return letters && refusalMessage(letters)
}

/**
 * The username: set once, after a confirmation; from then on the field only shows it (docs/specification.md sections 4 and 5).
 */
export function UsernameForm({ username }: { username: string }) {
  const [typed, setTyped] = useState('')
  const [confirming, setConfirming] = useState(false)
  const hint = useRef<HTMLParagraphElement>(null)
  const asked = useRef(false)
  const id = useId()
  const isSet = username !== ''
  const wanted = typed.trim()
  const tooLong = !isSet && wanted.length > USERNAME_MAX_LENGTH
  const fault = isSet ? null : faultOf(wanted)
  const ready = !isSet && wanted.length >= USERNAME_MIN_LENGTH && !tooLong

  // With the name set, the button that asked is gone: the focus goes to the sentence that reports it.
  useEffect(() => {
    if (isSet && !confirming && asked.current) hint.current?.focus()
  }, [isSet, confirming])

  function ask(event: FormEvent): void {
    event.preventDefault()
    if (!ready) return
    asked.current = true
    setConfirming(true)
  }

  return (
    <>
      <form onSubmit={ask} noValidate className="space-y-2">
        <Label htmlFor={id}>Username</Label>
        <div className="flex flex-col gap-2 sm:flex-row">
          <Input
            id={id}
            name="username"
            value={isSet ? username : typed}
            disabled={isSet}
            autoComplete="off"
            autoCapitalize="none"
            autoCorrect="off"
            spellCheck={false}
            aria-invalid={fault !== null || undefined}
            aria-describedby={`${id}-hint ${id}-error`}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          {!isSet && (
            <Button type="submit" disabled={!ready} aria-describedby={`${id}-error ${id}-hint`}>
              Set Username
            </Button>
          )}
        </div>
        <FieldError id={`${id}-error`}>{fault}</FieldError>
        <p id={`${id}-hint`} ref={hint} tabIndex={-1} className="text-sm text-muted-foreground outline-none">
          {isSet
            ? 'This is the name that others see. It cannot be changed.'
            : 'The name that others see. It can be set once: 3 to 15 letters, numbers, hyphens or underscores, beginning with a letter or number.'}
        </p>
      </form>
      {confirming && <UsernameConfirmation username={wanted} onDone={() => setConfirming(false)} />}
    </>
  )
}

type UsernameConfirmationProps = {
  username: string
  /** Called when the name is set, or the question was waved away. */
  onDone: () => void
}

/**
 * Asks before something that cannot be undone; a refusal is shown here, and the name can be thought over (docs/specification.md
 * section 4).
 */
function UsernameConfirmation({ username, onDone }: UsernameConfirmationProps) {
  const setting = useSetUsername()
  return (
    <Dialog open onOpenChange={(open) => !open && !setting.isPending && onDone()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Username Confirmation</DialogTitle>
          <DialogDescription className="wrap-anywhere">
            {`Please confirm you want ${username} as your username.`}
          </DialogDescription>
        </DialogHeader>
        {setting.isError && (
          <Alert variant="destructive">
            <AlertDescription>{messageOf(setting.error)}</AlertDescription>
          </Alert>
        )}
        <DialogFooter>
          <Button variant="outline" disabled={setting.isPending} onClick={onDone}>
            Cancel
          </Button>
          <Button loading={setting.isPending} onClick={() => setting.mutate(username, { onSuccess: onDone })}>
            Confirm
          </Button>
        </DialogFooter>
      </DialogContent>
    </Dialog>
  )
}
