import type { TrackRecord } from '@tradepost/contract/track-record'
import type { Elements } from '../../ui/elements.ts'
import { Gain } from '../../ui/gain.tsx'
import { formatSession } from './record-text.ts'

/** Below the curve: against the index, all positions together, and the deepest fall of the range (decision 0054). */
export function TrackFigures({ track }: { track: TrackRecord }) {
  const { versusIndex, drawdown, allIn, indexSymbol } = track
  return (
    <dl className="grid gap-x-6 gap-y-3 border-t border-border pt-3 sm:grid-cols-3">
      <Figure
        name={`Against ${indexSymbol}`}
        note={
          versusIndex === null
            ? 'no close with the index beside it'
            : `a position, mean of all ${versusIndex.positions}${versusIndex.missing > 0 ? `; ${versusIndex.missing} without the index` : ''}`
        }
      >
        {versusIndex && <Gain value={versusIndex.mean} />}
      </Figure>
      <Figure name="All in" note={allIn === null ? 'no position yet' : allInNote(allIn)}>
        {allIn && <Gain value={allIn.mean} />}
      </Figure>
      <Figure
        name="Deepest fall"
        note={
          drawdown === null
            ? 'from 20 days with positions on'
            : drawdown.fall === 0
              ? 'in this range'
              : `${formatSession(drawdown.from)} to ${formatSession(drawdown.to)}`
        }
      >
        {drawdown && <Gain value={drawdown.fall} />}
      </Figure>
    </dl>
  )
}

function allInNote({ closed, open, stale }: NonNullable<TrackRecord['allIn']>): string {
  const parts = [`mean of all ${closed} closed`, open > 0 && `${open} open`].filter(Boolean).join(' and ')
  return stale > 0 ? `${parts}; ${stale} at an old price` : parts
}

function Figure({ name, note, children }: { name: string; note: string; children: Elements }) {
  return (
    <div className="min-w-0 max-sm:flex max-sm:justify-between max-sm:gap-4">
      <dt className="text-sm whitespace-nowrap text-muted-foreground">{name}</dt>
      <dd className="tabular-nums max-sm:text-right sm:mt-0.5">
        {children}
        <span className="text-sm text-muted-foreground max-sm:block max-sm:text-[0.8125rem]">{` ${note}`}</span>
      </dd>
    </div>
  )
}
