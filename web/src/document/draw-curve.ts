import type { TrackDay } from '@tradepost/contract/track-record'

/** Lines across the drawing, at most. */
const LINES = 4
const STEPS = [1, 2, 5, 10]

/** The two curves of a track in a box whose upper left corner is 0 0, and the lines across it. */
type Curve = {
  first: TrackDay
  last: TrackDay
  /** Of an SVG's path. */
  level: string
  index: string
  lines: { percent: number; y: number }[]
}

type Box = { width: number; height: number }

/** @returns null for fewer than two days */
export function drawCurve(days: readonly TrackDay[], { height, width }: Box): Curve | null {
  const [first, last] = [days[0], days.at(-1)]
  if (!first || !last || days.length < 2) return null
  const values = days.flatMap(({ level, index }) => [level, index])
  const [least, most] = [Math.min(0, ...values), Math.max(0, ...values)]
  const step = stepOf(most - least || 1)
  const [bottom, top] = [Math.floor(least / step) * step, Math.ceil(most / step) * step || step]
  const y = (percent: number) => round(((top - percent) / (top - bottom)) * height)
  const x = (nth: number) => round((nth / (days.length - 1)) * width)
  const pathOf = (ofDay: (day: TrackDay) => number) =>
    `M${days.map((day, nth) => `${x(nth)} ${y(ofDay(day))}`).join('L')}`
  const count = Math.round((top - bottom) / step)
  return {
    first,
    last,
    level: pathOf(({ level }) => level),
    index: pathOf(({ index }) => index),
    lines: Array.from({ length: count + 1 }, (_, nth) => {
      const percent = Number((bottom + nth * step).toPrecision(12))
      return { percent, y: y(percent) }
    }),
  }
}

/** The smallest of 1, 2, 5 and their tenfolds with which so many lines are enough. */
function stepOf(span: number): number {
  const size = 10 ** Math.floor(Math.log10(span / LINES))
  return (STEPS.find((step) => step * size * LINES >= span) ?? 10) * size
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
