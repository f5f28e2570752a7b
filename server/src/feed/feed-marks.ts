import type { FeedMessage } from '@tradepost/contract/feed'
import type { Mark } from '@tradepost/contract/marks'
import { findMarks } from '../marks/marks.queries.ts'
import { isShownTo, presentMark } from '../marks/read-marks.ts'
import type { Clock } from '../platform/clock.ts'
import type { Queryable } from '../platform/database.ts'
import { type Log, reasonOf } from '../platform/log.ts'
import { findHolders } from './feed.queries.ts'
import type { FeedTraders, Hearer } from './feed-traders.ts'

/** What has been looked up within this long is sent together. */
const GATHERED_MS = 1000

/** Sends what symbols cost now to those who hear a trader who holds them, as workers look them up. */
export class FeedMarks {
  readonly #deps: { db: Queryable; clock: Clock; log: Log }
  readonly #traders: FeedTraders
  readonly #symbols = new Set<string>()
  #gathering: NodeJS.Timeout | null = null

  constructor(deps: { db: Queryable; clock: Clock; log: Log }, traders: FeedTraders) {
    this.#deps = deps
    this.#traders = traders
  }

  /** These have been looked up. */
  lookedUp(symbols: string[]): void {
    for (const symbol of symbols) this.#symbols.add(symbol)
    this.#gathering ??= setTimeout(() => this.#send(), GATHERED_MS).unref()
  }

  end(): void {
    if (this.#gathering) clearTimeout(this.#gathering)
    this.#gathering = null
    this.#symbols.clear()
  }

  #send(): void {
    const symbols = [...this.#symbols]
    this.end()
    // A page asks for its marks every half minute as well, so one that fails here is not tried again.
    this.#sendOf(symbols).catch((error: unknown) =>
      this.#deps.log.warn({ reason: reasonOf(error) }, 'live feeds could not be sent marks'),
    )
  }

  async #sendOf(symbols: string[]): Promise<void> {
    const traderIds = this.#traders.heard()
    if (traderIds.length === 0) return
    const { clock, db } = this.#deps
    const holders = await findHolders(db, { symbols, traderIds })
    if (holders.length === 0) return
    const rows = await findMarks(db, [...new Set(holders.map(({ symbol }) => symbol))])
    const now = clock.now()
    const marks = new Map([...rows.values()].map((row) => [row.symbol, { row, mark: presentMark(row, now) }]))
    const ofHearers = new Map<Hearer, Set<Mark>>()
    for (const { openedAt, symbol, traderId } of holders) {
      const found = marks.get(symbol)
      if (!found || !isShownTo(found.row, openedAt.getTime())) continue
      for (const hearer of this.#traders.hearersOf(traderId)) {
        ofHearers.set(hearer, (ofHearers.get(hearer) ?? new Set()).add(found.mark))
      }
    }
    for (const [hearer, theirs] of ofHearers) {
      const message: FeedMessage = { type: 'marks', marks: [...theirs] }
      hearer.sayText(JSON.stringify(message))
    }
  }
}
