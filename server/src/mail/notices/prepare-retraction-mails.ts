import type { MailDrawn } from '@tradepost/emails/render'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { Prepare } from '../outbox/prepare-mails.ts'
import { unsubscribeUrl } from '../unsubscribe/unsubscribe-url.ts'
import {
  findNames,
  findReceived,
  findRetractions,
  listPrices,
  listTradersOf,
  type ReceivedEvent,
  type RetractedPrice,
  type RetractionStory,
} from './retraction-mails.queries.ts'

/** More would make a long mail; Activity has them all. */
const MOST_SHOWN = 20

type Drawn = MailDrawn<'prices_retracted'>
type Line = Drawn['positions'][number]

/**
 * Reads the prices of a retraction that its readers may see: of their own positions, and of those whose events they are mailed of, by the
 * formula of the mails (ADR 0004 and 0078). A mail is unneeded when no position is left for it, as for readers who stopped the mails of
 * the trader meanwhile.
 */
export function prepareRetractionMails({
  db,
  origin,
}: {
  db: Queryable
  origin: string
}): Prepare<'prices_retracted'> {
  return async (mails) => {
    const readerIds = mails.flatMap(({ userId }) => userId ?? [])
    const retractions = await findRetractions(db, [...new Set(mails.map(({ facts }) => facts.retractionId))])
    const traderIds = [...new Set([...readerIds, ...(await listTradersOf(db, readerIds))])]
    const prices = await listPrices(db, { retractionIds: retractions.map(({ id }) => id), traderIds })
    const received = await findReceived(db, readerIds, {
      traderIds: prices.map(({ traderId }) => traderId),
      eventNos: prices.map(({ eventNo }) => eventNo),
    })
    const names = await findNames(db, [...new Set(prices.map(({ traderId }) => traderId))])
    return mails.map(({ facts, userId }) => {
      const retraction = retractions.find(({ id }) => id === facts.retractionId)
      if (!retraction || userId === null) return null
      const ofReader = received.filter(({ readerId }) => readerId === userId)
      const seen = choose(userId, { retraction, prices, received: ofReader })
      if (seen.length === 0) return null
      return { drawn: present({ retraction, seen, received: ofReader, names, readerId: userId }, origin) }
    })
  }
}

/** The prices of one retraction that one reader may know of. */
function choose(
  readerId: string,
  of: { retraction: RetractionStory; prices: RetractedPrice[]; received: ReceivedEvent[] },
): RetractedPrice[] {
  const events = new Set(of.received.map(keyOf))
  const ofRetraction = of.prices.filter(({ retractionId }) => retractionId === of.retraction.id)
  const own = ofRetraction.filter(({ traderId }) => traderId === readerId)
  return [...own, ...ofRetraction.filter((price) => events.has(keyOf(price)))]
}

function keyOf({ eventNo, traderId }: { traderId: string; eventNo: number }): string {
  return `${traderId} ${eventNo}`
}

type Story = {
  retraction: RetractionStory
  seen: RetractedPrice[]
  received: ReceivedEvent[]
  names: Map<string, string>
  readerId: string
}

function present({ received, names, readerId, retraction, seen }: Story, origin: string): Drawn {
  const nameOf = (traderId: string) => (traderId === readerId ? null : (names.get(traderId) ?? 'trader'))
  const ofPositions = [...Map.groupBy(seen, ({ positionId }) => positionId).values()]
  const lines = ofPositions.flatMap((prices) => lineOf(prices, nameOf)).toSorted(byTrader)
  const shown = lines.slice(0, MOST_SHOWN)
  const named = new Set(shown.map(({ trader }) => trader))
  const stops = new Map<string, string>()
  for (const { traderId, unsubscribeToken } of received) {
    const trader = nameOf(traderId)
    if (trader !== null && named.has(trader)) stops.set(trader, unsubscribeUrl(origin, unsubscribeToken))
  }
  const { from, price, reason, symbol, to } = retraction
  return {
    symbol,
    from: from.toISOString(),
    to: to.toISOString(),
    price,
    reason,
    positions: shown,
    more: lines.length - shown.length,
    stops: [...stops].map(([trader, unsubscribeUrl]) => ({ trader, unsubscribeUrl })),
  }
}

/** @param prices of one position */
function lineOf(prices: RetractedPrice[], nameOf: (traderId: string) => string | null): Line[] {
  const [first] = prices
  if (!first) return []
  const { openedAt, percentageGain, traderId } = first
  const of = (wanted: RetractedPrice['end']) => {
    const price = prices.find(({ end }) => end === wanted)
    return price ? { before: price.before, now: price.now } : null
  }
  const ends = { open: of('open'), close: of('close') }
  return [{ trader: nameOf(traderId), openedAt: openedAt.toISOString(), ...ends, percentageGain }]
}

/** The reader's own first, then by name; of one trader by when they were opened. */
function byTrader(a: Line, b: Line): number {
  return (a.trader ?? '').localeCompare(b.trader ?? '') || a.openedAt.localeCompare(b.openedAt)
}
