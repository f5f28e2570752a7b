import type { TraderProfile } from '@tradepost/contract/traders'
import { ENTITLED_STATUSES } from '../billing/entitlements/may-subscribe.ts'
import { countSubscribers } from '../billing/entitlements/subscriptions.queries.ts'
import { presentPrices, trialDaysOf } from '../billing/prices/prices-of.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import type { ReadsOfOthers } from '../platform/distribution/replica.ts'
import type { Caller } from '../platform/http/register-endpoints.ts'
import type { Settings } from '../platform/settings.ts'
import type { Directory } from '../quotes/symbols/directory.ts'
import { presentFigures, presentSince, requireTrader, type Viewer } from './find-trader.ts'
import { type FindRecord, makeTraderRecord } from './record/trader-record.ts'

export type TradersDeps = { db: Queryable; others: ReadsOfOthers; settings: Settings }
export type ProfileDeps = TradersDeps & { pipelined: Queryable; directory: Directory }

/** A trader's counts, and the figures and positions that agree with them. @throws `user_not_found` */
export type FindFigures = (
  caller: Viewer,
  username: string,
  now: Date,
) => Promise<Awaited<ReturnType<typeof readSettled>>>

/** The figures that profiles and public pages show, kept for a trader's last event (ADR 0070). */
export function makeFigures(deps: ProfileDeps): FindFigures {
  const findRecord = makeTraderRecord(deps)
  return (caller, username, now) => readSettled(deps, findRecord, { caller, username, now })
}

/** How often counts and positions are read because an event came between; the last time they are given as they are. */
const MAX_TRIES = 3

/**
 * A trader's public record: counts, average, the latest closed positions and the open ones past their plan. The same for everybody but
 * for how the viewer stands to them; nothing of a position within its plan, no notes (rules G-16 and G-49). Of somebody who is suspended there are the specified
 * fields, and that they are (ADR 0074).
 * @returns answers a caller who names a trader. @throws `user_not_found`
 */
export function makeTraderProfile(
  deps: ProfileDeps,
  findFigures: FindFigures = makeFigures(deps),
): (caller: Caller, text: string, now: Date) => Promise<TraderProfile> {
  const { settings } = deps
  return async (caller, text, now) => {
    const { trader, figures } = await findFigures(caller, text, now)
    const specified = {
      ...presentFigures(trader),
      ...trader.relationship,
      latestPositions: figures.latest,
    }
    if (trader.suspended) return { ...specified, suspended: true }
    const trialDays = trialDaysOf(trader.namedPrices, settings)
    return {
      ...specified,
      ...(trader.publicPage && { publicPage: true }),
      since: presentSince(trader),
      ...(trader.about !== null && { about: trader.about }),
      ...(trader.followersShown && {
        followers: await countSubscribers(deps.db, trader.traderId, ENTITLED_STATUSES),
      }),
      record: figures.record,
      pastPlan: figures.pastPlan,
      morePastPlan: figures.morePastPlan,
      ...presentPrices(trader.namedPrices, settings),
      ...(trialDays !== null && { trialDays }),
    }
  }
}

async function readSettled(
  deps: Pick<TradersDeps, 'db' | 'settings'>,
  findRecord: FindRecord,
  { caller, now, username }: { caller: Viewer; now: Date; username: string },
) {
  for (let tries = 1; ; tries += 1) {
    const trader = await requireTrader(deps, caller, username)
    const figures = await findRecord(trader, now, { asItIs: tries === MAX_TRIES })
    if (figures) return { trader, figures }
  }
}
