import { formatPrice } from '@tradepost/contract/gain'
import { gainSoFar } from '@tradepost/contract/live-value'
import type { Position } from '@tradepost/contract/positions'
import { webPaths } from '@tradepost/contract/web-paths'
import { useEffect, useId, useRef, useState } from 'react'
import { formatExactTime } from '../../lib/format.ts'
import { PositionHistory } from '../../lib/position-history.tsx'
import { Link } from '../../lib/router.tsx'
import { Alert, AlertDescription, AlertTitle } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { CompanyName } from '../../ui/company-name.tsx'
import { Dialog, DialogContent, DialogFooter, DialogHeader, DialogTitle } from '../../ui/dialog.tsx'
import { Gain } from '../../ui/gain.tsx'
import { Monogram } from '../../ui/monogram.tsx'
import { StruckNotice } from '../../ui/struck-notice.tsx'
import { ClosePositionForm } from './close-position-form.tsx'
import { noPriceText } from './live-value.tsx'
import { PositionFacts } from './position-facts.tsx'
import { type Marks, markAge, useMarks } from './use-marks.ts'

type PositionDialogProps = {
  position: Position
  /** Whether the viewer published it: only the owner may close it (docs/specification.md section 6). */
  own: boolean
  /** Whether it still is in the viewer's list. It may be closed while one looks at it. */
  listed: boolean
  onDismiss: () => void
  /** Called when the position has been closed and is out of the list. */
  onClosed: () => void
}

/**
 * A position in full, and for its owner the way to close it (docs/specification.md section 2). Give it a `key` of the position.
 */
export function PositionDialog({ position, own, listed, onDismiss, ...props }: PositionDialogProps) {
  const [mode, setMode] = useState<'view' | 'close'>('view')
  const [busy, setBusy] = useState(false)
  const returned = useRef(false)
  // The viewer's own close takes the position out of the list before its answer has been handled.
  const gone = !listed && !busy
  const viewed = mode === 'view' || gone

  function goBack(): void {
    returned.current = true
    setMode('view')
  }

  return (
    <Dialog open onOpenChange={(open) => !open && !busy && onDismiss()}>
      <DialogContent aria-describedby={undefined}>
        <DialogHeader>
          <DialogTitle translate={viewed ? 'no' : undefined}>
            {viewed ? position.stock.toUpperCase() : `Close ${position.stock.toUpperCase()}`}
          </DialogTitle>
          <CompanyName name={position.companyName} />
        </DialogHeader>
        {viewed ? (
          <PositionView
            position={position}
            own={own}
            gone={gone}
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
  /** Whether it went from the list meanwhile. */
  gone: boolean
  /** Coming back from close mode, the focus belongs to the button that led there. */
  focusClose: boolean
  onClose: () => void
}

function PositionView({ position, own, gone, focusClose, onClose }: PositionViewProps) {
  const closeButton = useRef<HTMLButtonElement>(null)
  const marks = useMarks(false)
  const mark = gone ? undefined : marks.bySymbol?.get(position.stock)
  useEffect(() => {
    if (focusClose) closeButton.current?.focus()
  }, [focusClose])
  return (
    <>
      <StruckNotice struck={position.struck} struckReason={position.struckReason} />
      <PositionFacts
        position={position}
        facts={['openPrice', 'opened', 'holdLength', 'trader']}
        beside={[mark?.price ?? position.openPrice]}
        trader={own ? 'Me' : <TraderLink username={position.user} />}
      />
      <section aria-labelledby="open-notes">
        <h3 id="open-notes" className="text-sm text-muted-foreground">
          Open notes
        </h3>
        <p dir="auto" className="mt-1 leading-relaxed wrap-anywhere whitespace-pre-wrap">
          {position.openNotes}
        </p>
      </section>
      {!gone && <PositionHistory trader={position.user} id={position.id} />}
      {gone ? <GoneNotice position={position} own={own} /> : <GainSoFar position={position} marks={marks} />}
      {own && !gone && (
        <DialogFooter>
          <Button ref={closeButton} variant="outline" onClick={onClose}>
            Close Position
          </Button>
        </DialogFooter>
      )}
    </>
  )
}

/** The notice in place of the gain and of closing. It takes the focus of a button that went with them. */
function GoneNotice({ position, own }: Pick<PositionViewProps, 'position' | 'own'>) {
  const notice = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (document.activeElement === document.body) notice.current?.focus()
  }, [])
  const link = 'font-medium text-primary underline underline-offset-4'
  return (
    <Alert ref={notice} tabIndex={-1}>
      <AlertTitle>
        {own ? 'This position has been closed' : 'This position is not in your list any more'}
      </AlertTitle>
      <AlertDescription>
        <span>{own ? 'It is among the closed ones of ' : 'What became of it is in '}</span>
        {own ? (
          <Link to={webPaths.trader(position.user)} className={link}>
            your profile
          </Link>
        ) : (
          <Link to={webPaths.activity} className={link}>
            Activity
          </Link>
        )}
        <span>.</span>
      </AlertDescription>
    </Alert>
  )
}

function TraderLink({ username }: { username: string }) {
  return (
    <Link
      to={webPaths.trader(username)}
      className="inline-flex max-w-full items-center gap-2 text-primary underline-offset-4 hover:underline"
    >
      <Monogram name={username} className="size-6" />
      <span translate="no" className="min-w-0">
        {username}
      </span>
    </Link>
  )
}

/** The gain of an active position so far, large, with the price it was counted from; room is kept for it. */
function GainSoFar({ position, marks }: { position: Position; marks: Marks }) {
  const id = useId()
  const mark = marks.bySymbol?.get(position.stock)
  const gain = gainSoFar(position.openPrice, mark?.price ?? null)
  const unpriced = noPriceText(mark, marks.failed)
  return (
    <section aria-labelledby={id} className="min-h-22 rounded-lg bg-muted px-4 py-2.5">
      <h3 id={id} className="text-sm text-muted-foreground">
        So far
      </h3>
      <div className="flex flex-wrap items-baseline gap-x-3">
        {gain !== null && <Gain value={gain} className="text-3xl font-semibold tracking-tight" />}
        <p className="text-sm text-muted-foreground tabular-nums">
          {mark?.price && mark.at && (
            <time dateTime={mark.at} title={formatExactTime(mark.at)}>
              {`${unpriced ? 'last' : 'now'} ${formatPrice(mark.price, position.openPrice)}${ago(markAge(marks, position.stock))}`}
            </time>
          )}
          {unpriced && <span className="block">{unpriced}</span>}
        </p>
      </div>
    </section>
  )
}

function ago(age: string | null): string {
  return age === null ? '' : `, ${age} ago`
}
