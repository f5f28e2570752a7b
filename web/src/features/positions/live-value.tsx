/** The present value of positions, in the list, which leaves room for it until it is known. */
import { formatPrice } from '@tradepost/contract/gain'
import { gainByMark } from '@tradepost/contract/live-value'
import type { Mark } from '@tradepost/contract/marks'
import type { Position } from '@tradepost/contract/positions'
import { ArrowRight } from 'lucide-react'
import { useState } from 'react'
import { cn } from '../../ui/cn.ts'
import { Gain } from '../../ui/gain.tsx'
import { isLate } from './use-marks.ts'

type WorthProps = {
  position: Pick<Position, 'id' | 'stock' | 'openPrice'>
  /** Undefined where there is no answer. */
  mark: Mark | undefined
  /** How old its price is, in short; null for less than a minute. */
  age: string | null
  /** Whether there is an answer, if only that there is none. */
  known: boolean
}

/**
 * The value of a position, beside its open price in the grid of a cell: the price of now, with how long ago or how late in the place of
 * `now`, and the gain above it. Both have their places before they are known. On a phone an arrow stands for `now`, and how long ago
 * stands beside the gain, where it moves no price. Where gains alone are shown, `now` stands by itself.
 */
export function Worth({ position, mark, age, known }: WorthProps) {
  const { openPrice } = position
  const unpriced = noPriceText(mark, known)
  const price = mark?.price ?? null
  const gain = gainByMark(position, mark)
  const isWhole = mark?.rights === 'percent'
  const word = isLate(mark, age) ? 'late' : 'ago'
  return (
    <>
      <span
        className={cn(
          'flex items-center justify-end gap-x-1 self-stretch pl-1 text-muted-foreground xl:col-start-2 xl:row-start-2 lined:max-[22.4rem]:sr-only lined:max-[24rem]:group-data-long/row:sr-only',
          age === null && 'md:max-xl:sr-only',
        )}
      >
        {price === null && isWhole && gain !== null ? (
          <span className="lined:sr-only">{age === null ? 'now' : `${age} ago`}</span>
        ) : price === null ? (
          <span
            className={
              known ? 'before:content-["–"] md:max-xl:hidden' : `${PLACE} h-2.5 w-14 md:max-xl:hidden`
            }
          />
        ) : (
          <>
            {/* Another element with other words: it begins elsewhere, and that is no jump. */}
            <span key={age} className={formatPrice(price, openPrice).length > FITS ? 'lined:sr-only' : ''}>
              <ArrowRight aria-hidden="true" className="inline size-3 md:hidden" />
              <span className="lined:sr-only">{unpriced === null ? (age ?? 'now') : 'last'}</span>
              {unpriced === null && age !== null && <span className="lined:sr-only">{` ${word}`}</span>}
            </span>
            <span translate="no" className="md:max-xl:sr-only">
              {formatPrice(price, openPrice)}
            </span>
          </>
        )}
      </span>
      <span className="order-first col-span-full flex h-5 items-center justify-end text-muted-foreground xl:col-span-1 xl:col-start-2 xl:row-start-1 lined:h-5.5">
        {unpriced !== null ? (
          <span>{unpriced}</span>
        ) : gain === null ? (
          <span className={`${PLACE} h-3.5 w-16`} />
        ) : (
          <>
            {age !== null && (
              // Beside another gain it is another element, which begins elsewhere.
              <span
                key={`${age} ${gain}`}
                aria-hidden="true"
                data-age={word === 'late' ? `${age} ${word}` : age}
                className="mr-1.5 before:content-[attr(data-age)] md:hidden"
              />
            )}
            <LiveGain
              price={price ?? gain}
              gain={gain}
              whole={isWhole}
              className="text-[0.9375rem] font-semibold lined:text-[1.0625rem]"
            />
          </>
        )}
      </span>
    </>
  )
}

/** On a phone a longer price leaves no room for the word before it, beside an open price as long. */
const FITS = 8

/** Where a figure comes to stand. */
const PLACE = 'block rounded-md bg-muted'

/** @property price what it was counted from, or where that is not shown the gain itself */
type LiveGainProps = { price: string | null; gain: string; whole: boolean; className: string }

/** A gain so far, which flashes when its price has changed while it was looked at. */
export function LiveGain({ price, gain, whole, className }: LiveGainProps) {
  const [seen, setSeen] = useState({ price, changes: 0 })
  if (seen.price !== price) setSeen({ price, changes: seen.changes + (seen.price === null ? 0 : 1) })
  // A new element begins a new flash.
  return (
    <Gain
      key={seen.changes}
      value={gain}
      whole={whole}
      className={cn(className, seen.changes > 0 && 'flash rounded-sm')}
    />
  )
}

/** Why nothing is known of now; null where something is. @param failed there was no answer */
export function noPriceText(mark: Mark | undefined, failed: boolean): string | null {
  if (!mark) return failed ? 'no price now' : null
  if (mark.state === 'gone') return 'no longer traded'
  if (mark.unpriced) return 'no price now'
  return mark.price === null && !hasGains(mark) ? 'no price yet' : null
}

function hasGains({ gains }: Mark): boolean {
  return gains !== undefined && Object.keys(gains).length > 0
}
