import { X } from 'lucide-react'
import { Slot } from 'radix-ui'
import {
  type ComponentProps,
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { cn } from './cn.ts'
import { useLayer } from './layer.ts'

/*
 * The browser's own modal dialog behind the usual part names: focus trap, Escape, inert background and focus return
 * come with it, and it writes no styles at run time, which the Content-Security-Policy would refuse.
 */

type DialogState = { id: string; open: boolean; setOpen: (open: boolean) => void }

const DialogContext = createContext<DialogState | null>(null)

function useDialog(): DialogState {
  const dialog = useContext(DialogContext)
  if (dialog === null) throw new Error('Dialog parts belong inside <Dialog>')
  return dialog
}

type DialogProps = {
  open?: boolean
  defaultOpen?: boolean
  onOpenChange?: (open: boolean) => void
  children: ReactNode
}

/** Controlled by `open` and `onOpenChange`, or on its own with a DialogTrigger. */
export function Dialog({ open, defaultOpen = false, onOpenChange, children }: DialogProps) {
  const id = useId()
  const [own, setOwn] = useState(defaultOpen)
  function setOpen(next: boolean): void {
    setOwn(next)
    onOpenChange?.(next)
  }
  return <DialogContext value={{ id, open: open ?? own, setOpen }}>{children}</DialogContext>
}

type PartProps = ComponentProps<'button'> & { asChild?: boolean }

export function DialogTrigger({ asChild = false, ...props }: PartProps) {
  const dialog = useDialog()
  const Part = asChild ? Slot.Root : 'button'
  return <Part type="button" aria-haspopup="dialog" onClick={() => dialog.setOpen(true)} {...props} />
}

/** Closes the dialog; `asChild` for a Button. */
export function DialogClose({ asChild = false, ...props }: PartProps) {
  const dialog = useDialog()
  const Part = asChild ? Slot.Root : 'button'
  return <Part type="button" onClick={() => dialog.setOpen(false)} {...props} />
}

type DialogContentProps = ComponentProps<'dialog'> & {
  /** The cross in the corner. */
  showCloseButton?: boolean
}

/** The window itself; mounted only while open. Needs a DialogTitle; without a DialogDescription pass aria-describedby={undefined}. */
export function DialogContent(props: DialogContentProps) {
  return useDialog().open ? <ModalWindow {...props} /> : null
}

function ModalWindow({ className, children, showCloseButton = true, ...props }: DialogContentProps) {
  const { id, setOpen } = useDialog()
  const element = useRef<HTMLDialogElement>(null)
  const clicked = useRef(false)
  const pressedBeside = useRef(false)
  useLayoutEffect(() => {
    const dialog = element.current
    dialog?.showModal?.()
    // Closed before React removes it: removal alone would drop the focus instead of giving it back.
    return () => dialog?.close?.()
  }, [])
  const dismiss = useCallback(() => setOpen(false), [setOpen])
  useLayer(true, dismiss)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does what a click beside the window does
    <dialog
      ref={element}
      // biome-ignore lint/a11y/noRedundantRoles: browser extensions and tests find it by the attribute
      role="dialog"
      data-slot="dialog"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-description`}
      className={cn(
        'dialog-motion m-auto w-[calc(100%-2rem)] max-w-lg rounded-xl border border-border bg-card p-0 text-card-foreground shadow-2xl',
        'backdrop:bg-overlay',
        className,
      )}
      onPointerDown={(event) => {
        pressedBeside.current = event.target === event.currentTarget
      }}
      onClickCapture={(event) => {
        // The second click of a double click whose first one opened the window: nobody has read the window yet.
        if (event.detail > 1 && !clicked.current) {
          event.preventDefault()
          event.stopPropagation()
        } else clicked.current = true
      }}
      onCancel={(event) => {
        event.preventDefault()
        dismiss()
      }}
      onClose={(event) => {
        // In development React runs the effect above twice: the dialog can be open again before this event arrives.
        if (!event.currentTarget.open) dismiss()
      }}
      onClick={(event) => {
        // A press that began inside, to mark a text, does not count as one beside the window, wherever it ends.
        if (event.target === event.currentTarget && pressedBeside.current) dismiss()
      }}
      {...props}
    >
      <div className="relative p-6">
        <div className="space-y-5">{children}</div>
        {showCloseButton && (
          <DialogClose
            aria-label="Close window"
            className="absolute top-3 right-3 inline-flex size-11 cursor-pointer items-center justify-center rounded-md text-muted-foreground outline-none hover:bg-accent hover:text-foreground focus-visible:ring-2 focus-visible:ring-ring sm:size-9"
          >
            <X aria-hidden="true" className="size-4" />
          </DialogClose>
        )}
      </div>
    </dialog>
  )
}

export function DialogHeader({ className, ...props }: ComponentProps<'div'>) {
  return <div data-slot="dialog-header" className={cn('space-y-1.5 pr-8', className)} {...props} />
}

export function DialogTitle({ className, children, ...props }: ComponentProps<'h2'>) {
  const { id } = useDialog()
  return (
    <h2
      data-slot="dialog-title"
      id={`${id}-title`}
      className={cn('text-lg font-semibold tracking-tight', className)}
      {...props}
    >
      {children}
    </h2>
  )
}

export function DialogDescription({ className, ...props }: ComponentProps<'p'>) {
  const { id } = useDialog()
  return (
    <p
      data-slot="dialog-description"
      id={`${id}-description`}
      className={cn('text-sm text-muted-foreground', className)}
      {...props}
    />
  )
}

export function DialogFooter({ className, ...props }: ComponentProps<'div'>) {
  return (
    <div
      data-slot="dialog-footer"
      className={cn('flex flex-col-reverse gap-3 sm:flex-row sm:justify-end', className)}
      {...props}
    />
  )
}
