import { BRAND } from '@tradepost/contract/brand'
import { formatPrice } from '@tradepost/contract/gain'
import { HOLD_LENGTH_LABELS, HOLD_LENGTHS } from '@tradepost/contract/hold-length'
import * as z from 'zod'
import { formatUtc, formatUtcDay } from './instants.ts'
import { defineLetter, type Letter } from './letter.tsx'
import { ownPositionsUrl } from './links.ts'

const OF_POSITION: Letter['because'] = ['of a position that you published', `on ${BRAND}`]

const facts = z.object({
  symbol: z.string(),
  holdLength: z.enum(HOLD_LENGTHS),
  /** Decimal text, as stored, in US dollars. */
  openPrice: z.string(),
  /** Both ISO 8601. */
  openedAt: z.string(),
  publicAt: z.string(),
  /** It is public already: the mail could not be written before. */
  isPublic: z.boolean(),
})
type Facts = z.infer<typeof facts>

const sample: Facts = {
  symbol: 'AAPL',
  holdLength: 'one_to_three_weeks',
  openPrice: '187.520000',
  openedAt: '2026-11-11T15:04:05.000Z',
  publicAt: '2026-12-03T15:04:05.000Z',
  isPublic: false,
}

/** To the trader, before everybody is shown an open position that is past its plan (ADR 0086). */
export const positionPublic = defineLetter({
  category: 'positions',
  facts,
  letter: (props) => ({
    subject: subjectOf(props),
    paragraphs: [
      `You opened ${props.symbol} at ${formatPrice(props.openPrice)} on ${formatUtcDay(props.openedAt)} with a planned hold of ${HOLD_LENGTH_LABELS[props.holdLength]}, and it is still open.`,
      meaningOf(props),
      'Within its plan a position is for your followers alone. If you close it, it is among your closed positions instead. If you keep it, there is nothing to do.',
    ],
    action: { label: `Close ${props.symbol} on your home page`, url: ownPositionsUrl(props.origin) },
    because: OF_POSITION,
  }),
  samples: {
    'position-public': sample,
    'position-public-already': { ...sample, isPublic: true },
  },
})

function subjectOf({ isPublic, publicAt, symbol }: Facts): string {
  const day = formatUtcDay(publicAt)
  return isPublic ? `${symbol} is public since ${day}` : `${symbol} becomes public on ${day}`
}

function meaningOf({ isPublic, publicAt }: Facts): string {
  const from = formatUtc(publicAt)
  const when = isPublic ? `Since ${from} everybody` : `If it is open on ${from}, everybody`
  return `${when} who is signed in sees it on your profile: the ticker, the day and the price of its opening, and its gain so far; not your notes. It ${isPublic ? 'counts' : 'then counts'} in your curve and in your score, and as a plan that was not kept.`
}
