import { BRAND_FIRST_WORD, BRAND_SECOND_WORD } from '@tradepost/contract/brand'
import { isLoss } from '@tradepost/contract/gain'
import type { PublicRecord } from '@tradepost/contract/public-record'
import { signedPercent } from '../features/traders/record-text.ts'
import { Mark } from '../ui/mark.tsx'
import { drawCurve } from './draw-curve.ts'
import { dayText } from './public-words.ts'

/** As sites show previews of a page, in px. */
const SIZE = { width: 1200, height: 630 }
const EDGE = 80
/** The colours of the dark theme. */
const INK = '#0b0d12'
const PAPER = '#eceef2'
const GREY = '#a7adb9'
const LINE = '#232830'
const GREEN = '#4fd98f'
const RED = '#f87a78'

/** Where the curves are drawn: over the whole width, below the words. */
const CURVE = { top: 392, width: SIZE.width, height: 190 }

/** The picture of a page: name, average, closed positions, the curve beside the index, and the day (UTC) on which it was drawn. */
export function PublicPicture({ of, now }: { of: PublicRecord; now: Date }) {
  const { average, closed } = of.record
  return (
    <svg xmlns="http://www.w3.org/2000/svg" aria-hidden="true" {...SIZE} fill="none">
      <rect {...SIZE} fill={INK} />
      <g color={GREEN}>
        <Mark x={EDGE} y={62} width={50.4} height={50.4} />
      </g>
      <text x={142} y={101} fontFamily="Geist" fontSize={38} fill={PAPER}>
        <tspan fontWeight={600}>{BRAND_FIRST_WORD}</tspan>
        <tspan>{BRAND_SECOND_WORD}</tspan>
      </text>
      <Words y={101} size={28} fill={GREY} atEnd words={dayText(now)} />
      <Words y={196} size={52} fill={PAPER} weight={600} words={`@${of.username}`} />
      {average === null ? (
        <Words y={300} size={64} fill={PAPER} weight={600} words="No closed positions yet" />
      ) : (
        <>
          <Words
            y={318}
            size={116}
            fill={isLoss(average) ? RED : GREEN}
            weight={600}
            words={signedPercent(average)}
          />
          <Words y={318} size={34} fill={GREY} atEnd words={`average of ${closed} closed`} />
        </>
      )}
      <Curves track={of.track} />
    </svg>
  )
}

function Curves({ track: { days, indexSymbol } }: Pick<PublicRecord, 'track'>) {
  const curve = drawCurve(days, CURVE)
  if (!curve) return null
  const { first, index, last, level, lines } = curve
  const zero = lines.find(({ percent }) => percent === 0)
  const foot = SIZE.height - CURVE.top
  return (
    <>
      <g transform={`translate(0 ${CURVE.top})`}>
        {zero && <path d={`M0 ${zero.y}H${CURVE.width}`} stroke={LINE} strokeWidth={2} />}
        <path d={`${level}L${CURVE.width} ${foot}L0 ${foot}Z`} fill={GREEN} fillOpacity={0.08} />
        <path d={index} stroke={GREY} strokeWidth={3} strokeDasharray="9 7" />
        <path d={level} stroke={GREEN} strokeWidth={5} strokeLinejoin="round" />
      </g>
      <Words
        y={372}
        size={26}
        fill={GREY}
        atEnd
        words={`since ${dayText(first.day)}: ${signedPercent(last.level)} · ${indexSymbol} ${signedPercent(last.index)}`}
      />
    </>
  )
}

type WordsProps = { y: number; size: number; fill: string; weight?: number; atEnd?: boolean; words: string }

function Words({ y, size, fill, weight = 400, atEnd = false, words }: WordsProps) {
  return (
    <text
      x={atEnd ? SIZE.width - EDGE : EDGE}
      y={y}
      fontFamily="Geist"
      fontSize={size}
      fontWeight={weight}
      fill={fill}
      textAnchor={atEnd ? 'end' : undefined}
    >
      {words}
    </text>
  )
}
