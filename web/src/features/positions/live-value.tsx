/** The present value of positions, in the list, which leaves room for it until it is known. */
import { formatPrice } from '@tradepost/contract/gain'
import { gainSoFar, summariseOpen } from '@tradepost/contract/live-value'
import type { Mark } from '@tradepost/contract/marks'
import type { Position } from '@tradepost/contract/positions'
import type { Elements } from '../../ui/elements.ts'
import { Gain } from '../../ui/gain.tsx'
import type { Marks } from './use-marks.ts'

type WorthProps = {
  openPrice: number
  /** Undefined where there is no answer. */
  mark: Mark | undefined
  /** How old its price is, in short; null for less than a minute. */
  age: string | null
}

/** The second line of a price: `now $28.10 +2.97%`, with how long ago in the place of `now`. */
export function Worth({ openPrice, mark, age }: WorthProps) {
  const gain = gainSoFar(openPrice, mark?.price ?? null)
  const unpriced = noPriceText(mark, true)
  if (unpriced !== null || !mark?.price || gain === null) return unpriced && <span>{unpriced}</span>
  return (
    <span className="flex justify-end gap-x-1 md:max-xl:flex-col md:max-xl:items-end">
      <span className={age === null ? 'md:max-xl:sr-only' : 'md:max-xl:order-last'}>
        <span>{age ?? 'now'}</span>
        {age !== null && <span className="lined:sr-only"> ago</span>}
      </span>
      <span translate="no" className="md:max-xl:sr-only">
        {formatPrice(mark.price, openPrice)}
      </span>
      <Gain value={gain} />
    </span>
  )
}

/** Why nothing is known of now; null where something is. @param failed there was no answer */
export function noPriceText(mark: Mark | undefined, failed: boolean): string | null {
  if (!mark) return failed ? 'no price now' : null
  if (mark.state === 'gone') return 'no longer traded'
  if (mark.unpriced) return 'no price now'
  return mark.price === null ? 'no price yet' : null
}

/** The viewer's own active positions together: how many, what they have gained so far, the best and the worst. */
export function OwnSummary({ positions, marks }: { positions: readonly Position[]; marks: Marks }) {
  const { open, priced, mean, best, worst } = summariseOpen(positions, marks.bySymbol ?? new Map())
  return (
    <p data-slot="own-summary" className="flex flex-wrap gap-x-5 text-sm leading-5 text-muted-foreground">
      <span>{`Yours: ${open} open`}</span>
      {mean !== null && (
        <Figure name={open === 1 ? 'so far' : 'mean so far'} gain={mean}>
          {priced < open && <span>{` of ${priced} with a price`}</span>}
        </Figure>
      )}
      {(best || worst) && <span aria-hidden="true" className="h-0 basis-full sm:hidden" />}
      {best && <Figure name={`best ${best.stock}`} gain={best.gain} />}
      {worst && <Figure name={`worst ${worst.stock}`} gain={worst.gain} />}
    </p>
  )
}

function Figure({ name, gain, children }: { name: string; gain: string; children?: Elements }) {
  return (
    <span className="whitespace-nowrap">
      <span>{`${name} `}</span>
      <Gain value={gain} />
      {children}
    </span>
  )
}
