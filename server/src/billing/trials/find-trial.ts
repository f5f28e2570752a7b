import { DAY_MS } from '@tradepost/contract/trading-day'
import { TRIAL_PAUSE_DAYS, type TrialDays } from '@tradepost/contract/trial'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { Settings } from '../../platform/settings.ts'
import type { Pair } from '../../stripe/subscriptions.ts'
import { findNamedPrices } from '../prices/own-prices.queries.ts'
import { type PriceSettings, trialDaysOf } from '../prices/prices-of.ts'
import { keysOfPerson } from './trial-keys.ts'
import { hadTrial, type PersonKeys } from './trials.queries.ts'

export type TrialDeps = { db: Queryable; settings: PriceSettings & Pick<Settings, 'authSecret'> }

/**
 * The free days that somebody would get with a trader now, by what is known before the card (rule G-123). Whether they may subscribe is
 * another question.
 * @returns null for none
 */
export async function findTrial(
  { db, settings }: TrialDeps,
  { subscriberId, traderId }: Pair,
  now: Date,
): Promise<TrialDays | null> {
  const offered = trialDaysOf(await findNamedPrices(db, traderId), settings)
  if (offered === null) return null
  const person = await keysOfPerson(db, settings, { userId: subscriberId, card: null })
  return (await isUsedUp(db, person, traderId, now)) ? null : offered
}

/** Whether a person has had a trial with this trader, or with anybody in the thirty days before an instant. */
export function isUsedUp(db: Queryable, person: PersonKeys, traderId: string, at: Date): Promise<boolean> {
  return hadTrial(db, person, { traderId, since: new Date(at.getTime() - TRIAL_PAUSE_DAYS * DAY_MS) })
}
