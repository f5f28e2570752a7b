/** The part of a curve that stays while a pointer moves, and the mark of the session under it. */
import { isLoss } from '@tradepost/contract/gain'
import type { TrackClose, TrackDay, TrackRecord } from '@tradepost/contract/track-record'
import { type ScaleLinear, type ScaleTime, scaleLinear, scaleUtc } from 'd3-scale'
import { area, line } from 'd3-shape'
import { memo } from 'react'
import { localFormat } from '../../lib/format.ts'

export const CHART_HEIGHT = 220
/** Room for the numbers at the left, the dates below, and the strip of closes above the dates. */
const LEFT = 46
const RIGHT = 8
const TOP = 8
const STRIP = 26
const DATES = 22
const STRIP_MIDDLE = CHART_HEIGHT - DATES - STRIP / 2
const TICK = 9
/** A date needs about as much room, in px. */
const DATE_WIDTH = 96

/** A session's level is that of its end, about 21:00 UTC. */
export const instantOf = (day: string) => new Date(`${day}T21:00:00Z`)

export type Scales = { x: ScaleTime<number, number>; y: ScaleLinear<number, number> }

export function scalesOf({ days }: TrackRecord, width: number): Scales {
  const levels = days.flatMap(({ level, index }) => [level, index])
  const first = days[0]?.day ?? ''
  const last = days.at(-1)?.day ?? ''
  return {
    x: scaleUtc([instantOf(first), new Date(`${last}T23:59:59Z`)], [LEFT, width - RIGHT]),
    y: scaleLinear([Math.min(...levels), Math.max(...levels)], [CHART_HEIGHT - DATES - STRIP, TOP]).nice(4),
  }
}

/** The session that is pointed at. */
export function Cursor({ day, scales: { x, y } }: { day: TrackDay; scales: Scales }) {
  const at = x(instantOf(day.day))
  return (
    <g className="pointer-events-none">
      <line x1={at} x2={at} y1={TOP} y2={CHART_HEIGHT - DATES} className="stroke-foreground/50" />
      <circle cx={at} cy={y(day.index)} r="3.5" className="fill-muted-foreground" />
      <circle cx={at} cy={y(day.level)} r="4" className="fill-primary" />
    </g>
  )
}

type DrawingProps = { track: TrackRecord; scales: Scales; width: number }

export const Drawing = memo(function Drawing({ track, scales, width }: DrawingProps) {
  const { x, y } = scales
  const peaks = peaksOf(track)
  const across = ({ day }: { day: string }) => x(instantOf(day))
  const level = line<TrackDay>(across, ({ level }) => y(level))(track.days)
  const index = line<TrackDay>(across, ({ index }) => y(index))(track.days)
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
      {falls && <path d={falls} strokeWidth="1" className="fill-destructive/15 stroke-destructive" />}
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

const monthFormat = localFormat({ month: 'short', year: 'numeric', timeZone: 'UTC' })
const dayFormat = localFormat({ month: 'short', day: 'numeric', timeZone: 'UTC' })

function Dates({ x, width }: { x: Scales['x']; width: number }) {
  const ticks = x.ticks(Math.max(2, Math.floor((width - LEFT) / DATE_WIDTH)))
  const format = ticks.every((tick) => tick.getUTCDate() === 1) ? monthFormat : dayFormat
  return ticks.map((tick) => (
    <text
      key={tick.getTime()}
      x={Math.min(Math.max(x(tick), LEFT + 24), width - RIGHT - 24)}
      y={CHART_HEIGHT - 5}
      textAnchor="middle"
      className="fill-muted-foreground"
    >
      {format(tick)}
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
