import type { ClosedOfTrader } from '@tradepost/contract/closed-positions'
import { formatPrice } from '@tradepost/contract/gain'
import { type ReactNode, useId } from 'react'
import { formatClock, formatDate, formatExactTime } from '../../lib/format.ts'
import { holdLengthLabel } from '../../lib/hold-length-label.ts'
import { PositionHistory } from '../../lib/position-history.tsx'
import { CompanyName } from '../../ui/company-name.tsx'
import { Dialog, DialogContent, DialogHeader, DialogTitle } from '../../ui/dialog.tsx'
import { Gain } from '../../ui/gain.tsx'
import { StruckNotice } from '../../ui/struck-notice.tsx'
import { UnsettledNote } from '../../ui/unsettled.tsx'

type ClosedPositionDialogProps = {
  /** Username. */
  trader: string
  position: ClosedOfTrader
  onDismiss: () => void
}

/** A closed position in full; its notes for those who may read them (rule G-49). */
export function ClosedPositionDialog({ position, trader, onDismiss }: ClosedPositionDialogProps) {
  const { symbol, companyName, holdLength, daysHeld, percentageGain, notes, openPrice, closePrice } = position
  const isUnsettled = position.settled === false
  return (
    <Dialog open onOpenChange={(open) => !open && onDismiss()}>
      <DialogContent aria-describedby={undefined}>
        <DialogHeader>
          <DialogTitle translate="no">{symbol}</DialogTitle>
          <CompanyName name={companyName} />
        </DialogHeader>
        <p>
          <Gain value={percentageGain} className="text-3xl font-semibold tracking-tight" />
        </p>
        {isUnsettled && <UnsettledNote />}
        <StruckNotice struck={position.struck} struckReason={position.struckReason} />
        <dl className="grid grid-cols-2 gap-x-6 gap-y-4">
          <Fact name="Open Price">
            <span translate="no">{formatPrice(openPrice, closePrice)}</span>
          </Fact>
          <Fact name={isUnsettled ? 'Last Price' : 'Close Price'}>
            <span translate="no">{formatPrice(closePrice, openPrice)}</span>
          </Fact>
          <Fact name="Opened">
            <Instant iso={position.opened} />
          </Fact>
          <Fact name="Closed">
            <Instant iso={position.closed} />
          </Fact>
          <Fact name="Hold Length">{holdLengthLabel(holdLength)}</Fact>
          <Fact name="Held">{`${daysHeld} ${daysHeld === 1 ? 'day' : 'days'}`}</Fact>
        </dl>
        {notes ? (
          <>
            <Notes name="Open notes" text={notes.open} />
            {notes.close === undefined ? (
              <p className="text-sm text-muted-foreground">
                What was written at its close is for those who followed then.
              </p>
            ) : (
              <Notes name="Close notes" text={notes.close} />
            )}
          </>
        ) : (
          <p className="text-sm text-muted-foreground">
            What was written about it is for those who followed while it was open.
          </p>
        )}
        <PositionHistory trader={trader} id={position.id} always />
      </DialogContent>
    </Dialog>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-sm text-muted-foreground">{name}</dt>
      <dd className="mt-0.5 font-medium wrap-anywhere tabular-nums">{children}</dd>
    </div>
  )
}

/** The local date, and the time of day here and in UTC. */
function Instant({ iso }: { iso: string }) {
  return (
    <time dateTime={iso} title={formatExactTime(iso)}>
      <span>{formatDate(iso)}</span>
      <span className="block text-sm font-normal text-muted-foreground">{formatClock(iso)}</span>
    </time>
  )
}

function Notes({ name, text }: { name: string; text: string }) {
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <h3 id={id} className="text-sm text-muted-foreground">
        {name}
      </h3>
      <p dir="auto" className="mt-1 leading-relaxed wrap-anywhere whitespace-pre-wrap">
        {text}
      </p>
    </section>
  )
}
