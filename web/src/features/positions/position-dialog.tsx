import type { Position } from '@tradepost/contract/positions'
import { webPaths } from '@tradepost/contract/web-paths'
import { useEffect, useRef, useState } from 'react'
import { Link } from '../../lib/router.tsx'
import { Button } from '../../ui/button.tsx'
import { CompanyName } from '../../ui/company-name.tsx'
import { Dialog, DialogContent, DialogFooter, DialogHeader, DialogTitle } from '../../ui/dialog.tsx'
import { Monogram } from '../../ui/monogram.tsx'
import { ClosePositionForm } from './close-position-form.tsx'
import { GainSoFar } from './gain-so-far.tsx'
import { PositionFacts } from './position-facts.tsx'

type PositionDialogProps = {
  position: Position
  /** Whether the viewer published it: only the owner may close it (docs/specification.md section 6). */
  own: boolean
  /** Close notes typed earlier and not sent. */
  closeNotes: string
  onCloseNotesChange: (closeNotes: string) => void
  onDismiss: () => void
  /** Called when the position has been closed and is out of the list. */
  onClosed: () => void
}

/**
 * A position in full, and for its owner the way to close it (docs/specification.md section 2). Give it a `key` of the position.
 */
export function PositionDialog({ position, own, onDismiss, ...props }: PositionDialogProps) {
  const [mode, setMode] = useState<'view' | 'close'>('view')
  const [busy, setBusy] = useState(false)
  const returned = useRef(false)

  function goBack(): void {
    returned.current = true
    setMode('view')
  }

  return (
    <Dialog open onOpenChange={(open) => !open && !busy && onDismiss()}>
      <DialogContent aria-describedby={undefined}>
        <DialogHeader>
          <DialogTitle>
            {mode === 'view' ? position.stock.toUpperCase() : `Close ${position.stock.toUpperCase()}`}
          </DialogTitle>
          <CompanyName name={position.companyName} />
        </DialogHeader>
        {mode === 'view' ? (
          <PositionView
            position={position}
            own={own}
            focusClose={returned.current}
            onClose={() => setMode('close')}
          />
        ) : (
          <ClosePositionForm position={position} onBack={goBack} onBusyChange={setBusy} {...props} />
        )}
      </DialogContent>
    </Dialog>
  )
}

type PositionViewProps = {
  position: Position
  own: boolean
  /** Coming back from close mode, the focus belongs to the button that led there. */
  focusClose: boolean
  onClose: () => void
}

function PositionView({ position, own, focusClose, onClose }: PositionViewProps) {
  const closeButton = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (focusClose) closeButton.current?.focus()
  }, [focusClose])
  return (
    <>
      <PositionFacts
        position={position}
        facts={['openPrice', 'opened', 'holdLength', 'trader']}
        trader={own ? 'Me' : <TraderLink username={position.user} />}
      />
      <section aria-labelledby="open-notes">
        <h3 id="open-notes" className="text-sm text-muted-foreground">
          Open notes
        </h3>
        <p className="mt-1 leading-relaxed wrap-anywhere whitespace-pre-wrap">{position.openNotes}</p>
      </section>
      <GainSoFar position={position} />
      {own && (
        <DialogFooter>
          <Button ref={closeButton} variant="outline" onClick={onClose}>
            Close Position
          </Button>
        </DialogFooter>
      )}
    </>
  )
}

function TraderLink({ username }: { username: string }) {
  return (
    <Link
      to={webPaths.trader(username)}
      className="inline-flex max-w-full items-center gap-2 text-primary underline-offset-4 hover:underline"
    >
      <Monogram name={username} className="size-6" />
      <span className="min-w-0">{username}</span>
    </Link>
  )
}
