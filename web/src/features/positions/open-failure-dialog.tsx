import { Button } from '../../ui/button.tsx'
import {
  Dialog,
  DialogClose,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogTitle,
} from '../../ui/dialog.tsx'

type OpenFailureDialogProps = {
  /** Why the position was not opened; null keeps the dialog away. */
  message: string | null
  onDismiss: () => void
}

/** Says why nothing was opened (docs/specification.md section 2, decision G-72). */
export function OpenFailureDialog({ message, onDismiss }: OpenFailureDialogProps) {
  return (
    <Dialog open={message !== null} onOpenChange={(open) => !open && onDismiss()}>
      <DialogContent role="alertdialog">
        <DialogHeader>
          <DialogTitle>Unable to open position</DialogTitle>
          <DialogDescription>Something went wrong...</DialogDescription>
        </DialogHeader>
        <p role="alert">{message}</p>
        <DialogFooter>
          <DialogClose asChild>
            <Button>Back to the form</Button>
          </DialogClose>
        </DialogFooter>
      </DialogContent>
    </Dialog>
  )
}
