import { refusalMessage } from '@tradepost/contract/errors'
import { USERNAME_MAX_LENGTH, USERNAME_MIN_LENGTH } from '@tradepost/contract/limits'
import { checkUsernameLetters } from '@tradepost/contract/username'
import { webPaths } from '@tradepost/contract/web-paths'
import { type FormEvent, type RefObject, useEffect, useId, useRef, useState } from 'react'
import { messageOf } from '../../lib/api-refusal.ts'
import { Link, useNavigate } from '../../lib/router.tsx'
import { takeWayBack } from '../../lib/way-back.ts'
import { Alert, AlertDescription } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
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
import { toast } from '../../ui/toast.ts'
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
  const [justSet, setJustSet] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const wayBack = useWayBack(field)
  const navigate = useNavigate()
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

  /** Back to the screen that asked for a username; else the page stays, and names the next step. */
  function goOn(): void {
    setConfirming(false)
    setJustSet(true)
    if (wayBack.current === null) return
    toast.success(`Your username is ${wanted}.`)
    navigate(wayBack.current)
  }

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
        <div className={cn('grid gap-2', !isSet && 'sm:grid-cols-[1fr_auto]')}>
          <Input
            ref={field}
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
          <div className={cn('space-y-2', !isSet && 'sm:col-span-2 sm:row-start-2')}>
            <FieldError id={`${id}-error`}>{fault}</FieldError>
            <p
              id={`${id}-hint`}
              ref={hint}
              tabIndex={-1}
              className="text-sm text-muted-foreground outline-none"
            >
              {isSet
                ? 'This is the name that others see. It cannot be changed.'
                : 'The name that others see. It can be set once: 3 to 15 letters, numbers, hyphens or underscores, beginning with a letter or number.'}
            </p>
            {isSet && justSet && <NextStep />}
          </div>
          {!isSet && (
            <Button
              type="submit"
              className="sm:col-start-2 sm:row-start-1"
              disabled={!ready}
              aria-describedby={`${id}-error ${id}-hint`}
            >
              Set Username
            </Button>
          )}
        </div>
      </form>
      {confirming && (
        <UsernameConfirmation username={wanted} onSet={goOn} onDismiss={() => setConfirming(false)} />
      )}
    </>
  )
}

/**
 * The path that somebody was led here from, to set a username; the field has the focus then. It is asked for when the form appears: a later
 * visit has nothing to go back to.
 */
function useWayBack(field: RefObject<HTMLInputElement | null>) {
  const path = useRef<string | null>(null)
  useEffect(() => {
    path.current ??= takeWayBack()
    if (path.current !== null) field.current?.focus()
  }, [field])
  return path
}

/** The name is there now, and with it the way to publish. */
function NextStep() {
  return (
    <Link
      to={webPaths.trade}
      className="inline-flex min-h-11 items-center rounded-sm text-sm font-medium underline underline-offset-4 outline-none focus-visible:ring-2 focus-visible:ring-ring sm:min-h-0"
    >
      Publish your first position
    </Link>
  )
}

type UsernameConfirmationProps = {
  username: string
  onSet: () => void
  /** Called when the question was waved away. */
  onDismiss: () => void
}

/**
 * Asks before something that cannot be undone; a refusal is shown here, and the name can be thought over (docs/specification.md
 * section 4).
 */
function UsernameConfirmation({ username, onSet, onDismiss }: UsernameConfirmationProps) {
  const setting = useSetUsername()
  return (
    <Dialog open onOpenChange={(open) => !open && !setting.isPending && onDismiss()}>
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
          <Button variant="outline" disabled={setting.isPending} onClick={onDismiss}>
            Cancel
          </Button>
          <Button loading={setting.isPending} onClick={() => setting.mutate(username, { onSuccess: onSet })}>
            Confirm
          </Button>
        </DialogFooter>
      </DialogContent>
    </Dialog>
  )
}
