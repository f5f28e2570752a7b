import type { PublicRecord } from '@tradepost/contract/public-record'
import { signedPercent } from '../features/traders/record-text.ts'
import { drawCurve } from './draw-curve.ts'
import { PublicSection } from './public-section.tsx'
import { curveText, dayText } from './public-words.ts'

/** The drawing's own units: it is stretched to its place. */
const BOX = { width: 1000, height: 1000 }

/** The curve of a public page beside the index, without a script; nothing for fewer than two days. */
export function PublicCurve({ of }: { of: PublicRecord }) {
  const curve = drawCurve(of.track.days, BOX)
  if (!curve) return null
  const { first, index, last, level } = curve
  const words = curveText(of)
  const lines = curve.lines.map(({ percent, y }) => ({ percent, at: `${y / 10}%` }))
  return (
    <PublicSection id="curve" title="Track record" className="space-y-3">
      <p className="text-sm text-muted-foreground">{words}</p>
      <div className="flex h-52 pt-2 text-xs">
        <svg aria-hidden="true" className="h-full w-11 shrink-0 overflow-visible">
          {lines.map(({ at, percent }) => (
            <text key={at} x="0" y={at} dy="0.32em" className="fill-muted-foreground tabular-nums">
              {`${percent > 0 ? '+' : ''}${percent}%`}
            </text>
          ))}
        </svg>
        <svg role="img" aria-label={words} className="h-full min-w-0 grow overflow-visible">
          {lines.map(({ at }) => (
            <line key={at} x1="0" x2="100%" y1={at} y2={at} className="stroke-border" />
          ))}
          <svg
            role="presentation"
            width="100%"
            height="100%"
            viewBox={`0 0 ${BOX.width} ${BOX.height}`}
            preserveAspectRatio="none"
          >
            <path
              d={index}
              vectorEffect="non-scaling-stroke"
              strokeWidth="1.5"
              strokeDasharray="4 3"
              className="fill-none stroke-muted-foreground"
            />
            <path
              d={level}
              vectorEffect="non-scaling-stroke"
              strokeWidth="2"
              strokeLinejoin="round"
              className="fill-none stroke-primary"
            />
          </svg>
        </svg>
      </div>
      <div className="flex justify-between gap-4 pl-11 text-xs text-muted-foreground">
        <span>{dayText(first.day)}</span>
        <span>{dayText(last.day)}</span>
      </div>
      <ul className="flex flex-wrap gap-x-6 gap-y-1 text-sm">
        <li className="flex items-center gap-2">
          <span aria-hidden="true" className="h-0.5 w-5 bg-primary" />
          <span translate="no">{`${of.username} ${signedPercent(last.level)}`}</span>
        </li>
        <li className="flex items-center gap-2">
          <span aria-hidden="true" className="w-5 border-t-2 border-dashed border-muted-foreground" />
          <span translate="no">{`${of.track.indexSymbol} ${signedPercent(last.index)}`}</span>
        </li>
      </ul>
    </PublicSection>
  )
}
