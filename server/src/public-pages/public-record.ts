import { provenAnswer } from '@tradepost/contract/leaderboard'
import type { PublicRecord } from '@tradepost/contract/public-record'
import { trackRecord } from '@tradepost/contract/track-record'
import { readUsername } from '@tradepost/contract/typed-name'
import { isUsername } from '@tradepost/contract/username'
import { pricesOf } from '../billing/prices/prices-of.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import type { Settings } from '../platform/settings.ts'
import type { ReadProven } from '../proven/read-proven.ts'
import { presentSince, VISITOR } from '../traders/find-trader.ts'
import type { ReadTrackRecord } from '../traders/record/read-track-record.ts'
import type { FindFigures } from '../traders/trader-profile.ts'
import { findTrader, type TraderRow } from '../traders/traders.queries.ts'

/** A trader whose public page is on. */
export type PublicTrader = {
  traderId: string
  /** As the trader spells it. */
  username: string
  /** It rises with everything of the trader's positions that a page shows. */
  lastEventNo: number
}

export type PublicReads = {
  findFigures: FindFigures
  readTrackRecord: ReadTrackRecord
  readProven: ReadProven
  settings: Pick<Settings, 'subscriptionPriceCents' | 'subscriptionCurrency' | 'taxLiable'>
}

/** @param typed a name as an address has it. @returns null for nobody, for a page that is off, and for somebody suspended */
export async function findPublicTrader(db: Queryable, typed: string): Promise<PublicTrader | null> {
  const username = readUsername(typed)
  const found = isUsername(username) ? await findTrader(db, VISITOR.userId, username) : null
  if (!found?.trader.publicPage || found.facts.suspended) return null
  const { lastEventNo, traderId, username: spelled } = found.trader
  return { traderId, username: spelled, lastEventNo }
}

/** As a visitor may see it at an instant. @throws `user_not_found` */
export async function readPublicRecord(
  { findFigures, readProven, readTrackRecord, settings }: PublicReads,
  { traderId, username }: PublicTrader,
  now: Date,
): Promise<PublicRecord> {
  const { figures, trader } = await findFigures(VISITOR, username, now)
  const curve = await readTrackRecord(VISITOR, username, { range: '1y', now })
  // The list marks its reader, or has their place beyond it: so it answers where this trader stands.
  const { entries, own } = provenAnswer.parse(JSON.parse((await readProven(traderId, now)).json))
  return {
    username: trader.username,
    since: presentSince(trader),
    record: figures.record,
    latest: figures.latest,
    pastPlan: figures.pastPlan,
    morePastPlan: figures.morePastPlan,
    openedAt: figures.openedAt,
    track: trackRecord.parse(JSON.parse(curve.json)),
    proven: own ?? entries.find(({ isSelf }) => isSelf) ?? null,
    price: trader.relationship.canSubscribe ? price(trader, settings) : null,
  }
}

function price({ namedPrices }: TraderRow, settings: PublicReads['settings']): PublicRecord['price'] {
  const { monthlyCents: cents, yearlyCents } = pricesOf(namedPrices, settings)
  return { cents, yearlyCents, currency: settings.subscriptionCurrency, taxLiable: settings.taxLiable }
}
