/** A line of 1.5 px stays inside of the drawing by so much. */
const EDGE = 2
/** A curve that moves by less than so many percent of its beginning is drawn as flat as it is. */
const LEAST_SPAN = 4

/**
 * A curve as the path of an SVG, with the height of 100, where it began.
 * @param levels two or more, evenly spaced, the first one 100
 * @param size of the drawing, in px
 */
export function drawSparkline(
  levels: readonly number[],
  size: { width: number; height: number },
): { path: string; start: number } {
  const [least, most] = [Math.min(...levels), Math.max(...levels)]
  const span = Math.max(most - least, LEAST_SPAN)
  const top = (most + least + span) / 2
  const heightOf = (level: number) => round(EDGE + ((top - level) / span) * (size.height - 2 * EDGE))
  const step = (size.width - 2 * EDGE) / (levels.length - 1)
  const points = levels.map((level, nth) => `${round(EDGE + nth * step)} ${heightOf(level)}`)
  return { path: `M${points.join('L')}`, start: heightOf(100) }
}

function round(px: number): number {
  return Math.round(px * 10) / 10
}
