import { quotedPrice } from '@tradepost/contract/gain'
import { useEffect, useId, useRef } from 'react'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { Input } from '../../ui/input.tsx'
import { Label } from '../../ui/label.tsx'
import type { PriceCheck } from './use-price-check.ts'
import { useSecondsLeft } from './use-seconds-left.ts'

type PriceFieldProps = {
  price: PriceCheck
  /** Why Check Price is disabled; null when it may be pressed. */
  whyDisabled: string | null
  onCheck: () => void
  /** Moves the focus to Check Price when the field appears: what had it before is gone. */
  takesFocus?: boolean
}

/**
 * A price nobody can type: read-only, filled by Check Price. When there is none, the field holds the reason instead,
 * in red (docs/specification.md section 8, decision G-73).
 */
export function PriceField({ price, whyDisabled, onCheck, takesFocus = false }: PriceFieldProps) {
  const id = useId()
  const check = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (takesFocus) check.current?.focus()
  }, [takesFocus])
  const { preview, error, checking } = price
  return (
    <div className="space-y-2">
      <Label htmlFor={id}>Price</Label>
      <div className="flex flex-col gap-2 sm:flex-row">
        <ShownPrice id={id} price={price} placeholder={whyDisabled ?? undefined} />
        <Button
          ref={check}
          variant="outline"
          disabled={whyDisabled !== null}
          aria-describedby={`${id}-reason`}
          loading={checking}
          onClick={onCheck}
        >
          Check Price
        </Button>
      </div>
      <p id={`${id}-reason`} className="sr-only">
        {whyDisabled}
      </p>
      <p role="status" className="sr-only">
        {preview && `The price is $${quotedPrice(preview.price)}.`}
        {error !== null && 'There is no price. The price field says why.'}
      </p>
    </div>
  )
}

type ShownPriceProps = { id: string; price: PriceCheck; placeholder: string | undefined }

/** The field itself: the price with how long it is held, or why there is none. */
function ShownPrice({ id, price: { preview, heldUntil, error }, placeholder }: ShownPriceProps) {
  return (
    <div className="relative min-w-0 flex-1">
      {preview && (
        <span
          aria-hidden="true"
          className="absolute inset-y-0 left-3 flex items-center text-muted-foreground"
        >
          $
        </span>
      )}
      <Input
        id={id}
        readOnly
        value={error ?? (preview ? quotedPrice(preview.price) : '')}
        placeholder={placeholder}
        title={error ?? undefined}
        aria-invalid={error !== null || undefined}
        aria-describedby={`${id}-hint`}
        className={cn(
          'tabular-nums',
          preview && 'pr-36 pl-6.5',
          error !== null && 'text-xs text-destructive sm:text-sm',
        )}
      />
      <span
        id={`${id}-hint`}
        className="pointer-events-none absolute inset-y-0 right-3 flex items-center text-sm text-muted-foreground tabular-nums"
      >
        {heldUntil !== null && <Remaining key={heldUntil} until={heldUntil} />}
      </span>
    </div>
  )
}

/** How long the price is held. Not a live region: it changes every second. */
function Remaining({ until }: { until: number }) {
  const seconds = useSecondsLeft(until)
  if (seconds === 0) return 'Price expired'
  return `Price held for ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
