import { summariseOpen } from '@tradepost/contract/live-value'
import type { Position } from '@tradepost/contract/positions'
import type { Elements } from '../../ui/elements.ts'
import { Gain } from '../../ui/gain.tsx'
import { type Marks, rightsOf } from './use-marks.ts'

/** The viewer's own active positions together: how many, what they have gained so far, the best and the worst. */
export function OwnSummary({ positions, marks }: { positions: readonly Position[]; marks: Marks }) {
  const { open, priced, mean, best, worst } = summariseOpen(positions, marks.bySymbol ?? new Map())
  const whole = rightsOf(marks) === 'percent'
  return (
    <p data-slot="own-summary" className="flex flex-wrap gap-x-5 text-sm leading-5 text-muted-foreground">
      <span>{`Yours: ${open} open`}</span>
      {mean !== null && (
        <Figure name={open === 1 ? 'so far' : 'mean so far'} gain={mean} whole={whole}>
          {priced < open && <span>{` of ${priced} with a price`}</span>}
        </Figure>
      )}
      {(best || worst) && <span aria-hidden="true" className="h-0 basis-full sm:hidden" />}
      {best && <Figure name={`best ${best.stock}`} gain={best.gain} whole={whole} />}
      {worst && <Figure name={`worst ${worst.stock}`} gain={worst.gain} whole={whole} />}
    </p>
  )
}

type FigureProps = { name: string; gain: string; whole: boolean; children?: Elements }

function Figure({ name, gain, whole, children }: FigureProps) {
  return (
    <span className="whitespace-nowrap">
      <span>{`${name} `}</span>
      <Gain value={gain} whole={whole} />
      {children}
    </span>
  )
}
