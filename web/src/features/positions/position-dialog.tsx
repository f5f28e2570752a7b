import { formatPrice } from '@tradepost/contract/gain'
import { gainByMark } from '@tradepost/contract/live-value'
import type { Mark } from '@tradepost/contract/marks'
import type { Position } from '@tradepost/contract/positions'
import { webPaths } from '@tradepost/contract/web-paths'
import { Copy } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import { formatExactTime } from '../../lib/format.ts'
import { PositionHistory } from '../../lib/position-history.tsx'
import { Link } from '../../lib/router.tsx'
import { Alert, AlertDescription, AlertTitle } from '../../ui/alert.tsx'
import { Button, buttonLook } from '../../ui/button.tsx'
import { CompanyName } from '../../ui/company-name.tsx'
import { Dialog, DialogContent, DialogFooter, DialogHeader, DialogTitle } from '../../ui/dialog.tsx'
import type { Elements } from '../../ui/elements.ts'
import { Gain } from '../../ui/gain.tsx'
import { Monogram } from '../../ui/monogram.tsx'
import { Notes } from '../../ui/notes.tsx'
import { StruckNotice } from '../../ui/struck-notice.tsx'
import { ClosePositionForm } from './close-position-form.tsx'
import { LiveGain, noPriceText } from './live-value.tsx'
import { type PositionEnd, PositionFacts } from './position-facts.tsx'
import { isLate, type Marks, markAge, useMarks } from './use-marks.ts'

export { endOf, positionOf } from './event-position.ts'

type PositionDialogProps = {
  position: Position
  /** Whether the viewer published it: only the owner may close it (docs/specification.md section 6). */
  own: boolean
  /** Whether it still is in the viewer's list; undefined while that is not known. It may be closed while one looks at it. */
  listed: boolean | undefined
  /** In Activity, the event that was chosen. */
  event?: Elements
  /** How the position ended, where that event is its end. */
  end?: PositionEnd | undefined
  onDismiss: () => void
  /** Called when the position has been closed and is out of the list. */
  onClosed: () => void
}

/**
 * A position in full, and for its owner the way to close it (docs/specification.md section 2). Give it a `key` of the position.
 */
export function PositionDialog(props: PositionDialogProps) {
  const { position, own, listed, event, end, onDismiss, onClosed } = props
  const [mode, setMode] = useState<'view' | 'close'>('view')
  const [busy, setBusy] = useState(false)
  // The viewer's own close takes the position out of the list before its answer has been handled.
  const gone = listed === false && !busy
  const viewed = mode === 'view' || gone

  return (
    <Dialog open onOpenChange={(open) => !open && !busy && onDismiss()}>
      <DialogContent aria-describedby={undefined}>
        <DialogHeader>
          <div className="flex items-center gap-2">
            <DialogTitle translate={viewed ? 'no' : undefined}>
              {viewed ? position.stock.toUpperCase() : `Close ${position.stock.toUpperCase()}`}
            </DialogTitle>
            {viewed && <CopyTicker stock={position.stock} />}
          </div>
          <CompanyName name={position.companyName} />
        </DialogHeader>
        {viewed ? (
          <PositionView
            position={position}
            own={own}
            listed={listed}
            gone={gone}
            event={event}
            end={end}
            onClose={() => setMode('close')}
            onLeave={onDismiss}
          />
        ) : (
          <ClosePositionForm
            position={position}
            onBack={() => setMode('view')}
            onBusyChange={setBusy}
            onClosed={onClosed}
          />
        )}
      </DialogContent>
    </Dialog>
  )
}

type PositionViewProps = Pick<PositionDialogProps, 'position' | 'own' | 'listed' | 'event' | 'end'> & {
  /** Whether it went from the list meanwhile. */
  gone: boolean
  onClose: () => void
  /** Called when a link leads elsewhere. */
  onLeave: () => void
}

function PositionView(props: PositionViewProps) {
  const { position, own, listed, gone, event, end, onClose, onLeave } = props
  const closeButton = useRef<HTMLButtonElement>(null)
  // In Activity no list behind the window asks.
  const marks = useMarks(event !== undefined && listed === true)
  const mark = gone ? undefined : marks.bySymbol?.get(position.stock)
  // Owners most likely come to close; otherwise the button above it, which copies the ticker, would have the focus.
  useEffect(() => closeButton.current?.focus(), [])
  const price = end?.price ?? mark?.price ?? position.openPrice
  return (
    <>
      {event}
      <StruckNotice struck={position.struck} struckReason={position.struckReason} />
      {end ? (
        <GainAtEnd end={end} />
      ) : gone ? (
        <GoneNotice position={position} own={own} isInActivity={event !== undefined} />
      ) : (
        <GainSoFar position={position} marks={marks} isListed={listed === true} />
      )}
      <PositionFacts
        position={position}
        facts={['openPrice', ...(end ? (['closePrice'] as const) : []), 'opened', 'holdLength', 'trader']}
        beside={[price]}
        end={end}
        trader={own ? 'Me' : <TraderLink username={position.user} />}
      />
      <Notes name="Open notes" text={position.openNotes} />
      {end?.notes !== undefined && <Notes name="Close notes" text={end.notes} />}
      {(!gone || event !== undefined) && <PositionHistory trader={position.user} id={position.id} />}
      {listed === true && !own && (
        <Link
          to={webPaths.followedPositionsOf(position.user)}
          {...buttonLook({ variant: 'outline', size: 'sm' })}
          onClick={onLeave}
        >
          Their other positions
        </Link>
      )}
      {own && listed !== undefined && !gone && !end && (
        <DialogFooter>
          <Button ref={closeButton} variant="outline" onClick={onClose}>
            Close Position
          </Button>
        </DialogFooter>
      )}
    </>
  )
}

/** For somebody who trades it elsewhere. */
function CopyTicker({ stock }: { stock: string }) {
  const [outcome, setOutcome] = useState<'Copied' | 'It could not be copied' | null>(null)
  function copy(): void {
    // Refused, or not there in a page without TLS.
    Promise.resolve()
      .then(() => navigator.clipboard.writeText(stock))
      .then(
        () => setOutcome('Copied'),
        () => setOutcome('It could not be copied'),
      )
  }
  return (
    <div className="-my-2 flex min-w-0 items-center gap-1 text-sm text-muted-foreground">
      <Button variant="ghost" size="sm" className="font-normal" onClick={copy}>
        <Copy aria-hidden="true" />
        <span>Copy ticker</span>
      </Button>
      <span role="status">{outcome}</span>
    </div>
  )
}

/** The gain of a position that has ended, large. */
function GainAtEnd({ end }: { end: PositionEnd }) {
  const id = useId()
  return (
    <section aria-labelledby={id} className={HERO}>
      <h3 id={id} className="text-sm text-muted-foreground">
        {end.isSettled ? 'Profit' : 'Profit so far'}
      </h3>
      <Gain value={end.percentageGain} className="text-3xl font-semibold tracking-tight" />
    </section>
  )
}

const HERO = 'flex min-h-20 flex-col justify-center rounded-lg bg-muted px-4 py-2.5'

type GoneNoticeProps = Pick<PositionViewProps, 'position' | 'own'> & { isInActivity: boolean }

/** The notice in place of the gain and of closing. It takes the focus of a button that went with them. */
function GoneNotice({ position, own, isInActivity }: GoneNoticeProps) {
  const notice = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (document.activeElement === document.body) notice.current?.focus()
  }, [])
  const link = 'font-medium underline underline-offset-4'
  return (
    <Alert ref={notice} tabIndex={-1}>
      <AlertTitle>
        {own ? 'This position has been closed' : 'This position is not in your list any more'}
      </AlertTitle>
      <AlertDescription>
        <span>{own || isInActivity ? 'Closed ones are on ' : 'What became of it is in '}</span>
        {own || isInActivity ? (
          <Link to={webPaths.trader(position.user)} className={link}>
            {own ? 'your profile' : 'the trader’s profile'}
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
      className="inline-flex max-w-full items-center gap-2 underline underline-offset-4"
    >
      <Monogram name={username} className="size-6" />
      <span translate="no" className="min-w-0">
        {username}
      </span>
    </Link>
  )
}

type GainSoFarProps = {
  position: Position
  marks: Marks
  /** Whether it is known to be active. */
  isListed: boolean
}

/** The gain of an active position so far, large, with the price it was counted from; room is kept for it. */
function GainSoFar({ position, marks, isListed }: GainSoFarProps) {
  const id = useId()
  const mark = isListed ? marks.bySymbol?.get(position.stock) : undefined
  const gain = gainByMark(position, mark)
  const age = markAge(marks, position.stock)
  const unpriced = noPriceText(mark, isListed && marks.failed)
  return (
    <section aria-labelledby={id} className={HERO}>
      <h3 id={id} className="text-sm text-muted-foreground">
        So far
      </h3>
      <div className="flex flex-wrap items-baseline gap-x-3">
        {gain !== null && (
          <LiveGain
            price={mark?.price ?? gain}
            gain={gain}
            whole={mark?.rights === 'percent'}
            className="text-3xl font-semibold tracking-tight"
          />
        )}
        <p className="text-sm text-muted-foreground tabular-nums">
          {gain !== null && mark?.at && (
            <time dateTime={mark.at} title={formatExactTime(mark.at)}>
              {priceText(mark, { unpriced, age, openPrice: position.openPrice })}
            </time>
          )}
          {unpriced && <span className="block">{unpriced}</span>}
        </p>
      </div>
    </section>
  )
}

type Beside = { unpriced: string | null; age: string | null; openPrice: number }

/** `now $28.10`, `now $28.10, 5 min ago`, `$28.10, 15 min late`; `now` alone where the price is not shown. */
function priceText(mark: Mark, { age, openPrice, unpriced }: Beside): string {
  const late = isLate(mark, age)
  const when = unpriced ? 'last' : late ? '' : 'now'
  const price = mark.price === null ? '' : formatPrice(mark.price, openPrice)
  const aged = age === null ? '' : `, ${age} ${late ? 'late' : 'ago'}`
  return [when, price].filter((part) => part !== '').join(' ') + aged
}
