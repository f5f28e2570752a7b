import type { TrackMonth, TrackRecord } from '@tradepost/contract/track-record'
import { type KeyboardEvent, useId, useState } from 'react'
import { usePart } from '../../lib/use-part.ts'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { PartFailure } from '../../ui/part-failure.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { monthLabel, monthText, pointsOf, shortMonth, type YearOfMonths, yearsOf } from './month-words.ts'
import { signedPoints } from './record-text.ts'
import { SHOWN_YEARS } from './trader-skeleton.tsx'

/** Fetched with the first month that somebody presses. */
const loadCloses = () => import('./month-closes.tsx')

type TrackMonthsProps = {
  username: string
  track: TrackRecord
  /** The class of its least height. */
  place: string
}

/** The months of a record, each coloured by how it stands beside the index; a press shows what was closed in one. */
export function TrackMonths({ username, track, place }: TrackMonthsProps) {
  const id = useId()
  const [pressed, setPressed] = useState<string | null>(null)
  const [all, setAll] = useState(false)
  const { asOf, indexSymbol, months } = track
  if (months === undefined) return null
  const years = yearsOf(months)
  const shown = all ? years : years.slice(0, SHOWN_YEARS)
  const chosen = months.find(({ month }) => month === pressed)
  return (
    <section aria-labelledby={id} className={cn('rounded-xl border border-border bg-card p-4 sm:p-5', place)}>
      <h2 id={id} className="text-lg leading-7 font-semibold tracking-tight">
        Months
      </h2>
      <p className="mt-1 text-sm leading-5 text-muted-foreground">
        {months.length === 0
          ? `Each month of the curve will stand here beside ${indexSymbol}.`
          : `Points better or worse than ${indexSymbol} each month. Press one for its closes.`}
      </p>
      <div role="toolbar" aria-labelledby={id} className="mt-3 space-y-3" onKeyDown={moveAlong}>
        {shown.map((year) => (
          <Year
            key={year.year}
            year={year}
            indexSymbol={indexSymbol}
            last={asOf?.slice(0, 7)}
            stop={pressed ?? months.findLast(({ level }) => level !== null)?.month}
            pressed={pressed}
            panel={`${id}-closes`}
            onPress={(month) => setPressed((before) => (before === month ? null : month))}
          />
        ))}
      </div>
      {shown.length < years.length && (
        <Button variant="link" size="sm" className="mt-1 min-w-0 px-0" onClick={() => setAll(true)}>
          Earlier years
        </Button>
      )}
      <div id={`${id}-closes`}>
        {chosen && (
          <Closes
            key={chosen.month}
            username={username}
            month={chosen.month}
            title={monthText(chosen, indexSymbol, chosen.month === asOf?.slice(0, 7))}
            onDismiss={() => setPressed(null)}
          />
        )}
      </div>
    </section>
  )
}

/** Left, Right, Home and End lead from month to month, so that all of them are one stop of the Tab key. */
function moveAlong(event: KeyboardEvent<HTMLDivElement>): void {
  const months = [...event.currentTarget.querySelectorAll('button')].sort((one, other) =>
    (one.dataset.month ?? '') < (other.dataset.month ?? '') ? -1 : 1,
  )
  const at = months.findIndex((month) => month.matches(':focus'))
  const next = {
    ArrowLeft: months[at - 1],
    ArrowRight: months[at + 1],
    Home: months[0],
    End: months.at(-1),
  }[event.key]
  if (at < 0 || next === undefined) return
  event.preventDefault()
  next.focus()
}

type YearProps = {
  year: YearOfMonths
  indexSymbol: string
  /** The month that is not over. */
  last: string | undefined
  /** The month that the Tab key leads to. */
  stop: string | undefined
  pressed: string | null
  /** The id of what a press shows. */
  panel: string
  onPress: (month: string) => void
}

function Year({ year: { year, places }, indexSymbol, last, stop, pressed, panel, onPress }: YearProps) {
  const id = useId()
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset belongs to forms; this names a year
    <div role="group" aria-labelledby={id} className="space-y-1">
      <p id={id} translate="no" className="text-sm leading-5 text-muted-foreground tabular-nums">
        {year}
      </p>
      <div className="grid grid-cols-4 gap-1.5 sm:grid-cols-6 lg:grid-cols-12">
        {places.map(({ key, month }) =>
          month === null ? (
            <span
              key={key}
              aria-hidden="true"
              className="h-13 rounded-md border border-dashed border-border"
            />
          ) : (
            <Month
              key={key}
              month={month}
              label={monthLabel(month, indexSymbol, month.month === last)}
              isStop={month.month === stop}
              isPressed={month.month === pressed}
              panel={panel}
              onPress={onPress}
            />
          ),
        )}
      </div>
    </div>
  )
}

const CELL = 'flex h-13 min-w-0 flex-col justify-center rounded-md border border-transparent px-2 text-left'

type MonthProps = {
  month: TrackMonth
  label: string
  isStop: boolean
  isPressed: boolean
  panel: string
  onPress: (month: string) => void
}

/** A month as a button; one without a position is no more than its name. */
function Month({ month, label, isStop, isPressed, panel, onPress }: MonthProps) {
  const points = pointsOf(month)
  const name = (
    <span aria-hidden="true" className="text-xs leading-4 text-muted-foreground">
      {shortMonth(month.month)}
    </span>
  )
  if (points === null)
    return (
      <span className={cn(CELL, 'bg-muted')}>
        {name}
        <span aria-hidden="true" className="leading-5 text-muted-foreground">
          –
        </span>
        <span className="sr-only">{label}</span>
      </span>
    )
  const shown = signedPoints(points)
  const tone = shown.startsWith('+') ? 'better' : shown.startsWith('-') ? 'worse' : 'level'
  return (
    <button
      type="button"
      data-month={month.month}
      data-tone={tone}
      tabIndex={isStop ? 0 : -1}
      aria-label={label}
      aria-expanded={isPressed}
      aria-controls={panel}
      onClick={() => onPress(month.month)}
      className={cn(
        CELL,
        'cursor-pointer outline-none focus-visible:ring-2 focus-visible:ring-ring focus-visible:ring-offset-2 focus-visible:ring-offset-card aria-expanded:border-foreground',
        tone === 'better' && 'bg-primary/15 hover:bg-primary/25',
        tone === 'worse' && 'bg-destructive/15 hover:bg-destructive/25',
        tone === 'level' && 'bg-muted hover:bg-accent',
      )}
    >
      {name}
      <span translate="no" className="flex items-center gap-1 text-sm leading-5 font-medium tabular-nums">
        {tone !== 'level' && (
          <svg
            viewBox="0 0 10 10"
            aria-hidden="true"
            className={cn('size-2 shrink-0', tone === 'better' ? 'fill-primary' : 'fill-destructive')}
          >
            <path d={tone === 'better' ? 'M0 8h10L5 1z' : 'M0 2h10L5 9z'} />
          </svg>
        )}
        <span>{shown}</span>
      </span>
    </button>
  )
}

type ClosesProps = { username: string; month: string; title: string; onDismiss: () => void }

/** The closes of the pressed month, below the months. */
function Closes({ username, month, title, onDismiss }: ClosesProps) {
  const { code, failed, retry } = usePart(loadCloses, true)
  return (
    <div className="mt-4 space-y-2 border-t border-border pt-4">
      <h3 className="text-[0.9375rem] font-medium">{title}</h3>
      {code && <code.MonthCloses username={username} month={month} />}
      {!code && !failed && <Skeleton role="status" aria-label="Loading closed positions" className="h-32" />}
      {failed && <PartFailure what="The list" onRetry={retry} onDismiss={onDismiss} />}
    </div>
  )
}
