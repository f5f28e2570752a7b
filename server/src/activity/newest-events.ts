import type { Heard } from './activity.queries.ts'
import { countNumbers, spansOf } from './event-spans.ts'
import { KEPT_COUNT, type KeptEvent, type View } from './kept-events.ts'
import type { Place } from './shown-events.ts'

type Chosen = KeptEvent & { username: string | null; readEventNo: number }

/**
 * The newest events that somebody sees, of what is kept of each trader, in the order of Activity.
 * @returns null where an event that is not kept may be among them
 */
export function chooseNewest({ heard, kept }: View, limit: number): Chosen[] | null {
  let horizon: Place | null = null
  const lists: { trader: Heard; events: KeptEvent[]; next: number }[] = []
  for (const trader of heard) {
    const newest = kept.get(trader.traderId) ?? []
    const spans = spansOf(trader, 0)
    const events = newest.filter(({ eventNo }) =>
      spans.some(({ from, to }) => eventNo >= from && eventNo < to),
    )
    lists.push({ trader, events, next: 0 })
    const last = newest.at(-1)
    const isWhole = newest.length < KEPT_COUNT || countNumbers(spans) === events.length
    if (!isWhole && last && (!horizon || isNewer(last, horizon))) horizon = last
  }
  const chosen = mergeNewest(lists, limit)
  const end = chosen[limit - 1]
  // What is not kept of a trader is older than what is.
  return !horizon || (end && !isNewer(horizon, end)) ? chosen : null
}

function mergeNewest(lists: { trader: Heard; events: KeptEvent[]; next: number }[], limit: number): Chosen[] {
  const chosen: Chosen[] = []
  while (chosen.length < limit) {
    let best: KeptEvent | undefined
    let from: (typeof lists)[number] | undefined
    for (const list of lists) {
      const event = list.events[list.next]
      if (!event || (best && !isNewer(event, best))) continue
      best = event
      from = list
    }
    if (!best || !from) return chosen
    from.next += 1
    chosen.push({ ...best, username: from.trader.username, readEventNo: from.trader.readEventNo })
  }
  return chosen
}

/** Instants with microseconds, and ids, are in the order of their texts. */
function isNewer(one: Place, other: Place): boolean {
  if (one.at !== other.at) return one.at > other.at
  if (one.traderId !== other.traderId) return one.traderId > other.traderId
  return one.eventNo > other.eventNo
}
