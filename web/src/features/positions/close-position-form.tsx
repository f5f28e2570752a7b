import { percentageGain } from '@tradepost/contract/gain'
import type { Position } from '@tradepost/contract/positions'
import { nextDayOf } from '@tradepost/contract/trading-day'
import { type FormEvent, useId } from 'react'
import { messageOf } from '../../lib/api-refusal.ts'
import { formatFrom, formatPercent } from '../../lib/format.ts'
import { serverNow } from '../../lib/server-time.ts'
import { settings } from '../../lib/settings.ts'
import { useDraft } from '../../lib/use-draft.ts'
import { Alert, AlertDescription, AlertTitle } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { DialogFooter } from '../../ui/dialog.tsx'
import { DisabledReason } from '../../ui/disabled-reason.tsx'
import { GainGlyph } from '../../ui/gain.tsx'
import { Input } from '../../ui/input.tsx'
import { Label } from '../../ui/label.tsx'
import { NotesField } from '../../ui/notes-field.tsx'
import { MovedNotice, takeMoved } from './moved-notice.tsx'
import { PositionFacts } from './position-facts.tsx'
import { closeRequirements, firstMissing } from './position-rules.ts'
import { PriceField } from './price-field.tsx'
import { closeDraft, movedPrice, previewPrice, useClosePosition } from './trades.api.ts'
import { useLaterDay } from './use-market-clock.ts'
import { usePriceCheck } from './use-price-check.ts'

type ClosePositionFormProps = {
  position: Position
  onBack: () => void
  /** Called while the request is under way (true) and when it has failed (false). */
  onBusyChange: (busy: boolean) => void
  /** Called when the position is closed and out of the list. */
  onClosed: () => void
}

/** Close mode of the position dialog (docs/specification.md sections 2 and 5). The market may be closed (rule G-11). */
export function ClosePositionForm(props: ClosePositionFormProps) {
  const { position, onBusyChange } = props
  const [closeNotes, setCloseNotes] = useDraft<string>(closeDraft(position), '')
  const price = usePriceCheck(previewPrice, messageOf)
  const beside = [position.openPrice]
  const closing = useClosePosition(position)
  const laterDay = useLaterDay(position.openedAt, settings.marketOverride)
  const reasonId = useId()
  const reason = firstMissing(closeRequirements(closeNotes, { preview: price.preview, laterDay }))

  function close(event: FormEvent): void {
    event.preventDefault()
    const { preview } = price
    if (reason !== null || preview === null || closing.isPending) return
    onBusyChange(true)
    const move = takeMoved(price, preview)
    closing.mutate(
      { symbol: position.stock, closeNotes, key: preview.key },
      {
        onSuccess: () => props.onClosed(),
        onError(error) {
          move(error)
          onBusyChange(false)
        },
      },
    )
  }

  return (
    <form onSubmit={close} noValidate className="space-y-5">
      <PositionFacts
        position={position}
        facts={['openPrice', 'opened']}
        beside={[price.preview?.price ?? position.openPrice]}
      />
      {!laterDay && <SameDayNotice openedAt={position.openedAt} />}
      <PriceField
        price={price}
        beside={beside}
        whyDisabled={null}
        takesFocus
        onCheck={() => price.check(position.stock)}
      />
      {price.preview?.settled === false && (
        <p role="note" className="text-sm">
          Nobody can trade at this price now. The position closes at once and settles at the next trade, which
          gives it its final price. Until then it counts in no average.
        </p>
      )}
      <ProfitField profit={profitShown(position.openPrice, price.preview?.price ?? '')} />
      <NotesField label="Close notes" name="closeNotes" value={closeNotes} onChange={setCloseNotes} />
      <MovedNotice error={closing.error} price={price} beside={beside} />
      {closing.isError && !movedPrice(closing.error) && (
        <Alert variant="destructive">
          <AlertDescription>{messageOf(closing.error)}</AlertDescription>
        </Alert>
      )}
      <div className="space-y-1">
        <p className="text-sm">Your followers get it by mail at once. It cannot be taken back.</p>
        <DisabledReason id={reasonId} reason={reason} />
      </div>
      <DialogFooter>
        <Button variant="outline" disabled={closing.isPending} onClick={props.onBack}>
          Back
        </Button>
        <Button
          type="submit"
          disabled={reason !== null}
          aria-describedby={reasonId}
          loading={closing.isPending}
        >
          Submit
        </Button>
      </DialogFooter>
    </form>
  )
}

/** Says it before anything is typed, with the time from which on it can be closed. */
function SameDayNotice({ openedAt }: Pick<Position, 'openedAt'>) {
  return (
    <Alert role="note">
      <AlertTitle>You cannot close this position on the same day</AlertTitle>
      <AlertDescription>
        <p>{`You can close it from ${formatFrom(nextDayOf(new Date(openedAt)), serverNow())}.`}</p>
        <p>Notes that you write now are kept until then.</p>
      </AlertDescription>
    </Alert>
  )
}

/** Profit against the open price, `12.35%` (docs/specification.md section 5); empty without a price. */
export function profitShown(openPrice: number, price: string): string {
  return price === '' ? '' : formatPercent(percentageGain(openPrice, price))
}

function ProfitField({ profit }: { profit: string }) {
  const id = useId()
  const loss = profit.startsWith('-')
  const rises = profit !== '' && !loss && profit !== '0.00%'
  return (
    <div className="space-y-2">
      <Label htmlFor={id}>Profit</Label>
      <div className={cn('relative', loss ? 'text-destructive' : 'text-primary')}>
        {(loss || rises) && (
          <span
            aria-hidden="true"
            className="pointer-events-none absolute inset-y-0 left-3 flex w-6 items-center justify-between text-lg font-semibold"
          >
            <GainGlyph loss={loss} />
            {rises && <span>+</span>}
          </span>
        )}
        <Input
          id={id}
          readOnly
          value={profit}
          className={cn(
            'text-lg font-semibold tabular-nums sm:text-lg',
            loss && 'pl-7.5 text-destructive',
            rises && 'pl-9.5',
            !loss && 'text-primary',
          )}
        />
      </div>
    </div>
  )
}
