import { type Decimal, formatPrice } from '@tradepost/contract/gain'
import type { PricePreview } from '@tradepost/contract/quotes'
import { useEffect, useId, useRef, useState } from 'react'
import { serverNow } from '../../lib/server-time.ts'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { Input } from '../../ui/input.tsx'
import { Label } from '../../ui/label.tsx'
import type { PriceCheck } from './use-price-check.ts'

const SECOND_MS = 1000

/** A price of a later trade is one of now. */
const OF_NOW_MS = 60_000

const TIME = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: 'UTC' } as const

const timeFormat = new Intl.DateTimeFormat('en-US', TIME)

const dayAndTimeFormat = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', ...TIME })

type PriceFieldProps = {
  price: PriceCheck
  /** Prices that are shown near it. */
  beside?: readonly Decimal[]
  /** Why Check Price is disabled; null when it may be pressed. */
  whyDisabled: string | null
  onCheck: () => void
  /** Moves the focus to Check Price when the field appears: what had it before is gone. */
  takesFocus?: boolean
}

/**
 * A price nobody can type: read-only, filled by Check Price. When there is none, the field holds the reason instead,
 * in red (docs/specification.md section 8, rule G-73). Where the check answers with a price of before, as for a holder while the one
 * of now looks wrong (ADR 0076), the reason stands below it. A price that is no longer one of now shows when it was traded.
 */
export function PriceField({
  price,
  beside = [],
  whyDisabled,
  onCheck,
  takesFocus = false,
}: PriceFieldProps) {
  const id = useId()
  const check = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (takesFocus) check.current?.focus()
  }, [takesFocus])
  const { preview, error, checking, was } = price
  const shown = preview && formatPrice(preview.price, was ?? preview.price, ...beside)
  const lastTrade = preview && lastTradeWords(preview)
  const doubt = error && `${error} This is the last price that looked right.`
  return (
    <div className="space-y-2">
      <Label htmlFor={id}>Price</Label>
      <div className="flex flex-col gap-2 sm:flex-row">
        <ShownPrice id={id} price={price} shown={shown} placeholder={whyDisabled ?? undefined} />
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
      <p
        id={`${id}-doubt`}
        aria-hidden={!shown || undefined}
        className={cn('text-sm text-destructive empty:hidden', !shown && 'hidden max-[22.4rem]:block')}
      >
        {shown ? doubt : isLong(error) ? error : null}
      </p>
      <p id={`${id}-trade`} className="text-sm empty:hidden">
        {lastTrade}
      </p>
      <p id={`${id}-reason`} className="sr-only">
        {whyDisabled}
      </p>
      <p role="status" className="sr-only">
        {error === null || shown
          ? spoken(shown, doubt, lastTrade)
          : 'There is no price. The price field says why.'}
      </p>
    </div>
  )
}

/** Whether the field of the narrowest screens cuts it off. */
function isLong(error: string | null): boolean {
  return error !== null && error.length > 44
}

function spoken(shown: string | null, ...beside: (string | null)[]): string | null {
  return shown && [`The price is ${shown}.`, ...beside].filter(Boolean).join(' ')
}

type ShownPriceProps = {
  id: string
  price: PriceCheck
  /** The price as text, with its dollar sign. */
  shown: string | null
  placeholder: string | undefined
}

/** The field itself: the price with how long it is held, or why there is none. */
function ShownPrice({ id, price: { heldUntil, error }, shown, placeholder }: ShownPriceProps) {
  const failure = shown ? null : error
  return (
    <div className="relative min-w-0 flex-1">
      {shown && (
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
        value={failure ?? shown?.slice(1) ?? ''}
        placeholder={placeholder}
        title={failure ?? undefined}
        aria-invalid={failure !== null || undefined}
        aria-describedby={`${id}-hint ${id}-trade ${id}-doubt`}
        className={cn(
          'tabular-nums',
          shown && 'pr-36 pl-6.5 max-[24.3rem]:pr-16',
          failure !== null && 'text-xs text-destructive sm:text-sm',
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

/** How long the price is held; on the narrowest screens the time alone. Not a live region: it changes every second. */
function Remaining({ until }: { until: number }) {
  const seconds = useSecondsLeft(until)
  const left = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  // Elements and no bare text: a translator replaces text, and then React could not take it away.
  return (
    <span>
      <span className="max-[24.3rem]:sr-only">{seconds === 0 ? 'Price ' : 'Price held for '}</span>
      <span>{seconds === 0 ? 'expired' : left}</span>
    </span>
  )
}

/**
 * When a checked price was traded, where that was more than a minute before the check: `Last trade of AAPL: Jul 2, 20:00 UTC`, without
 * the day where it is that of the check. By the server's clock alone, since this browser's may be wrong.
 * @returns null for a price of now, and where its time is not known
 */
export function lastTradeWords(preview: PricePreview): string | null {
  const { symbol, tradedAt = '', expiresAt = '', expiresInSeconds = Number.NaN } = preview
  const [traded, checked] = [new Date(tradedAt), new Date(Date.parse(expiresAt) - expiresInSeconds * 1000)]
  if (symbol === undefined || !(checked.getTime() - traded.getTime() > OF_NOW_MS)) return null
  const sameDay = traded.toISOString().slice(0, 10) === checked.toISOString().slice(0, 10)
  return `Last trade of ${symbol}: ${(sameDay ? timeFormat : dayAndTimeFormat).format(traded)} UTC`
}

/**
 * Whole seconds until an instant, counted down to 0 and rounded down. Give the caller a `key` of the instant: the first count is
 * taken once.
 * @param until ms of the server's clock
 */
export function useSecondsLeft(until: number): number {
  const [left, setLeft] = useState(() => until - serverNow().getTime())
  useEffect(() => {
    const timer = setInterval(() => {
      const now = until - serverNow().getTime()
      setLeft(now)
      if (now <= 0) clearInterval(timer)
    }, SECOND_MS)
    return () => clearInterval(timer)
  }, [until])
  return Math.max(0, Math.floor(left / SECOND_MS))
}
