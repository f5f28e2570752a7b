import type { TraderRecord } from '@tradepost/contract/traders'
import type { ReactNode } from 'react'
import { Gain } from '../../ui/gain.tsx'

/** The second row of a profile's figures (ADR 0052); none before the first close. */
export function RecordFigures({ record }: { record: TraderRecord }) {
  const { wins, median, best, worst, medianDaysHeld, plansKept } = record
  if (median === null || best === null || worst === null || medianDaysHeld === null) return null
  return (
    <dl
      data-slot="record"
      className="grid grid-cols-2 gap-x-6 gap-y-4 rounded-xl border border-border px-5 py-4 sm:grid-cols-3"
    >
      <Figure name="Wins">{wins ? `${wins.count} of ${wins.of}` : <TooFew of="5 closed positions" />}</Figure>
      <Figure name="Median">
        <Gain value={median} />
      </Figure>
      <Figure name="Best">
        <Gain value={best} />
      </Figure>
      <Figure name="Worst">
        <Gain value={worst} />
      </Figure>
      <Figure name="Median days held">{medianDaysHeld}</Figure>
      <Figure name="Kept to plan">
        {plansKept ? `${plansKept.count} of ${plansKept.of}` : <TooFew of="3 ended plans" />}
      </Figure>
    </dl>
  )
}

function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-sm text-muted-foreground">{name}</dt>
      <dd className="mt-0.5 font-medium tabular-nums">{children}</dd>
    </div>
  )
}

/** In place of a figure: few positions prove nothing. */
function TooFew({ of }: { of: string }) {
  return <span className="text-sm font-normal text-muted-foreground">{`shown from ${of} on`}</span>
}
