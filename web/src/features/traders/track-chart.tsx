/** The curve, drawn. A part of its own, since a library for charts comes with it. */
import { isLoss } from '@tradepost/contract/gain'
import type { TrackClose, TrackRecord } from '@tradepost/contract/track-record'
import { type ScaleLinear, type ScaleTime, scaleLinear, scaleUtc } from 'd3-scale'
import { area, line } from 'd3-shape'
import { type KeyboardEvent, memo, type PointerEvent, useMemo, useState } from 'react'
import { closesBySession, closesText, dayText } from './track-words.ts'
import { useWidth } from './use-width.ts'

const HEIGHT = 220
/** Room for the numbers at the left, the dates below, and the strip of closes above the dates. */
const LEFT = 46
const RIGHT = 8
const TOP = 8
const STRIP = 26
const DATES = 22
const STRIP_MIDDLE = HEIGHT - DATES - STRIP / 2
const TICK = 9
/** A date needs about as much room, in px. */
const DATE_WIDTH = 96

/** A session's level is that of its end, about 21:00 UTC. */
const instantOf = (day: string) => new Date(`${day}T21:00:00Z`)

type Scales = { x: ScaleTime<number, number>; y: ScaleLinear<number, number> }

function scalesOf({ days }: TrackRecord, width: number): Scales {
  const levels = days.flatMap(({ level, index }) => [level, index])
  const first = days[0]?.day ?? ''
  const last = days.at(-1)?.day ?? ''
  return {
    x: scaleUtc([instantOf(first), new Date(`${last}T23:59:59Z`)], [LEFT, width - RIGHT]),
    y: scaleLinear([Math.min(...levels), Math.max(...levels)], [HEIGHT - DATES - STRIP, TOP]).nice(4),
  }
}

type TrackChartProps = { track: TrackRecord; username: string }

/**
 * The curve beside the index with its falls shaded, and a tick for each close: up for a gain, down for a loss. A pointer, a finger or
 * the arrow keys move along the sessions; the line below and the value of the slider say what is there.
 */
export function TrackChart({ track, username }: TrackChartProps) {
  const { ref, width } = useWidth<HTMLDivElement>()
  const [chosen, setChosen] = useState<number | null>(null)
  const bySession = useMemo(() => closesBySession(track), [track])
  const scales = useMemo(() => scalesOf(track, width), [track, width])
  const { days, indexSymbol } = track
  const lastNth = days.length - 1
  const nth = chosen === null ? null : Math.min(chosen, lastNth)
  const day = nth === null ? undefined : days[nth]
  const closes = nth === null ? [] : (bySession.get(nth) ?? [])

  function point(event: PointerEvent<HTMLDivElement>): void {
    const left = event.currentTarget.getBoundingClientRect().left
    setChosen(nearestDay(track, scales.x.invert(event.clientX - left)))
  }
  function move(event: KeyboardEvent<HTMLDivElement>): void {
    const next = nextDay(event.key, nth, { lastNth, stops: [...bySession.keys()] })
    if (next === undefined) return
    event.preventDefault()
    setChosen(next)
  }
  const spoken = days[nth ?? lastNth]
  const spokenCloses = closesText(bySession.get(nth ?? lastNth) ?? [])
  return (
    <div>
      <div
        ref={ref}
        role="slider"
        tabIndex={0}
        aria-label={`Sessions of ${username}'s curve`}
        aria-valuemin={0}
        aria-valuemax={lastNth}
        aria-valuenow={nth ?? lastNth}
        aria-valuetext={spoken && [dayText(spoken, indexSymbol), spokenCloses].filter(Boolean).join('. ')}
        className="h-55 cursor-crosshair touch-pan-y rounded-md outline-none select-none focus-visible:ring-2 focus-visible:ring-ring"
        onPointerDown={point}
        onPointerMove={point}
        onPointerLeave={(event) => event.pointerType === 'mouse' && setChosen(null)}
        onKeyDown={move}
      >
        {width > 0 && (
          <svg
            width={width}
            height={HEIGHT}
            viewBox={`0 0 ${width} ${HEIGHT}`}
            aria-hidden="true"
            className="block overflow-visible text-xs"
          >
            <Drawing track={track} scales={scales} width={width} />
            {day && (
              <g className="pointer-events-none">
                <line
                  x1={scales.x(instantOf(day.day))}
                  x2={scales.x(instantOf(day.day))}
                  y1={TOP}
                  y2={HEIGHT - DATES}
                  className="stroke-foreground/50"
                />
                <circle
                  cx={scales.x(instantOf(day.day))}
                  cy={scales.y(day.index)}
                  r="3.5"
                  className="fill-muted-foreground"
                />
                <circle
                  cx={scales.x(instantOf(day.day))}
                  cy={scales.y(day.level)}
                  r="4"
                  className="fill-primary"
                />
              </g>
            )}
          </svg>
        )}
      </div>
      <p
        aria-hidden="true"
        data-slot="readout"
        className="mt-1 line-clamp-2 min-h-10 text-sm leading-5 tabular-nums"
      >
        {day ? (
          <>
            <span className="font-medium">{dayText(day, indexSymbol)}</span>
            {closes.length > 0 && <span className="text-muted-foreground">{` · ${closesText(closes)}`}</span>}
          </>
        ) : (
          <span className="text-muted-foreground">
            <span className="pointer-coarse:hidden">
              Point at a day. With the keyboard: arrow keys for sessions, Page Up and Page Down for closes.
            </span>
            <span className="hidden pointer-coarse:inline">Touch a day of the curve, or draw along it.</span>
          </span>
        )}
      </p>
    </div>
  )
}

function nearestDay({ days }: TrackRecord, at: Date): number {
  let [low, high] = [0, days.length - 1]
  const timeOf = (nth: number) => instantOf(days[nth]?.day ?? '').getTime()
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (timeOf(middle) <= at.getTime()) low = middle
    else high = middle
  }
  return at.getTime() - timeOf(low) < timeOf(high) - at.getTime() ? low : high
}

/** @returns undefined for a key that is none of the slider's, null to choose none */
function nextDay(
  key: string,
  nth: number | null,
  { lastNth, stops }: { lastNth: number; stops: readonly number[] },
): number | null | undefined {
  const from = nth ?? lastNth + 1
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowDown':
      return Math.max(0, from - 1)
    case 'ArrowRight':
    case 'ArrowUp':
      return Math.min(lastNth, from + 1)
    case 'PageDown':
      return stops.findLast((stop) => stop < from) ?? nth
    case 'PageUp':
      return stops.find((stop) => stop > from) ?? nth
    case 'Home':
      return 0
    case 'End':
      return lastNth
    case 'Escape':
      return null
    default:
      return undefined
  }
}

type DrawingProps = { track: TrackRecord; scales: Scales; width: number }

/** What stays while a pointer moves. */
const Drawing = memo(function Drawing({ track, scales, width }: DrawingProps) {
  const { x, y } = scales
  const peaks = peaksOf(track)
  const across = ({ day }: { day: string }) => x(instantOf(day))
  const level = line<TrackRecord['days'][number]>(across, ({ level }) => y(level))(track.days)
  const index = line<TrackRecord['days'][number]>(across, ({ index }) => y(index))(track.days)
  const falls = area<{ day: string; peak: number; level: number }>(
    across,
    ({ peak }) => y(peak),
    ({ level }) => y(level),
  )(peaks)
  return (
    <>
      {y.ticks(4).map((value) => (
        <g key={value}>
          <line
            x1={LEFT}
            x2={width - RIGHT}
            y1={y(value)}
            y2={y(value)}
            className={value === 0 ? 'stroke-muted-foreground/60' : 'stroke-border'}
          />
          <text
            x={LEFT - 8}
            y={y(value)}
            dy="0.32em"
            textAnchor="end"
            className="fill-muted-foreground tabular-nums"
          >
            {`${value > 0 ? '+' : ''}${value}%`}
          </text>
        </g>
      ))}
      <Dates x={x} width={width} />
      {falls && <path d={falls} className="fill-destructive/15" />}
      {index && (
        <path
          d={index}
          className="fill-none stroke-muted-foreground"
          strokeWidth="1.5"
          strokeDasharray="4 3"
        />
      )}
      {level && (
        <path d={level} className="fill-none stroke-primary" strokeWidth="2" strokeLinejoin="round" />
      )}
      <Closes closes={track.closes} x={x} width={width} />
    </>
  )
})

function peaksOf({ days }: TrackRecord): { day: string; peak: number; level: number }[] {
  let peak = Number.NEGATIVE_INFINITY
  return days.map(({ day, level }) => {
    peak = Math.max(peak, level)
    return { day, peak, level }
  })
}

const monthFormat = new Intl.DateTimeFormat(undefined, { month: 'short', year: 'numeric', timeZone: 'UTC' })
const dayFormat = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' })

function Dates({ x, width }: { x: Scales['x']; width: number }) {
  const ticks = x.ticks(Math.max(2, Math.floor((width - LEFT) / DATE_WIDTH)))
  const format = ticks.every((tick) => tick.getUTCDate() === 1) ? monthFormat : dayFormat
  return ticks.map((tick) => (
    <text
      key={tick.getTime()}
      x={Math.min(Math.max(x(tick), LEFT + 24), width - RIGHT - 24)}
      y={HEIGHT - 5}
      textAnchor="middle"
      className="fill-muted-foreground"
    >
      {format.format(tick)}
    </text>
  ))
}

/** Two shapes, however many they are. */
function Closes({ closes, x, width }: { closes: readonly TrackClose[]; x: Scales['x']; width: number }) {
  const marks = { up: '', down: '', even: '' }
  for (const { closed, gain } of closes) {
    const at = x(new Date(closed)).toFixed(1)
    if (isLoss(gain)) marks.down += `M${at} ${STRIP_MIDDLE + 1.5}v${TICK}`
    else if (gain === 0) marks.even += `M${at} ${STRIP_MIDDLE - 2}v4`
    else marks.up += `M${at} ${STRIP_MIDDLE - 1.5}v-${TICK}`
  }
  return (
    <g strokeWidth="1.5">
      <line x1={LEFT} x2={width - RIGHT} y1={STRIP_MIDDLE} y2={STRIP_MIDDLE} className="stroke-border" />
      <path d={marks.up} className="stroke-primary" />
      <path d={marks.down} className="stroke-destructive" />
      <path d={marks.even} className="stroke-muted-foreground" />
    </g>
  )
}
