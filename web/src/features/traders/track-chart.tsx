/** The curve, drawn. A part of its own, since a library for charts comes with it. */

import type { TrackRecord } from '@tradepost/contract/track-record'
import {
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { isComposing } from '../../ui/composing.ts'
import { CHART_HEIGHT, Cursor, Drawing, scalesOf } from './track-drawing.tsx'
import { nearestDay, nextDay } from './track-slider.ts'
import { closesBySession, closesText, dayText } from './track-words.ts'

type TrackChartProps = { track: TrackRecord; username: string }

/**
 * The curve beside the index with its falls shaded, and a tick for each close: up for a gain, down for a loss. A pointer, a finger or
 * the arrow keys move along the sessions; the line below and the value of the slider show the session's figures.
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
    if (isComposing(event.nativeEvent)) return
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
        onFocus={() => setChosen((before) => before ?? lastNth)}
        onBlur={() => setChosen(null)}
        onKeyDown={move}
      >
        {width > 0 && (
          <svg
            width={width}
            height={CHART_HEIGHT}
            viewBox={`0 0 ${width} ${CHART_HEIGHT}`}
            aria-hidden="true"
            className="block overflow-visible text-xs"
          >
            <Drawing track={track} scales={scales} width={width} />
            {day && <Cursor day={day} scales={scales} />}
          </svg>
        )}
      </div>
      <Readout text={day && dayText(day, indexSymbol)} closes={closesText(closes)} />
    </div>
  )
}

/** The session under the pointer; the slider has the same text. @param props.text of the session, undefined for none */
function Readout({ text, closes }: { text: string | undefined; closes: string }) {
  return (
    <p
      aria-hidden="true"
      data-slot="readout"
      className="mt-1 line-clamp-4 min-h-20 text-sm leading-5 tabular-nums sm:line-clamp-2 sm:min-h-10"
    >
      {text === undefined ? (
        <span className="text-muted-foreground">
          <span className="max-sm:hidden pointer-coarse:hidden">
            Hover over a day for its figures. With the keyboard, arrow keys move by session, Page Up and Page
            Down by close.
          </span>
          <span className="hidden max-sm:inline pointer-coarse:inline">
            Touch a day of the curve, or draw along it.
          </span>
        </span>
      ) : (
        <>
          <span className="font-medium">{text}</span>
          {closes !== '' && <span className="text-muted-foreground">{` · ${closes}`}</span>}
        </>
      )}
    </p>
  )
}

/** How wide an element is, in whole px; 0 until it has been measured, which is before it is drawn. */
function useWidth<Node extends HTMLElement>(): { ref: RefObject<Node | null>; width: number } {
  const ref = useRef<Node>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const node = ref.current
    if (!node) return
    const measure = () => setWidth(Math.floor(node.getBoundingClientRect().width))
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(node)
    return () => observer.disconnect()
  }, [])
  return { ref, width }
}
