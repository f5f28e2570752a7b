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
import { useSetUsername } from './username.api.ts'

type UsernameConfirmationProps = {
  username: string
  /** Called when the name is set, or the question was waved away. */
  onDone: () => void
}

/**
 * Asks before something that cannot be undone; a refusal is told here, and the name can be thought over (docs/specification.md
 * section 4).
 */
export function UsernameConfirmation({ username, onDone }: UsernameConfirmationProps) {
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
