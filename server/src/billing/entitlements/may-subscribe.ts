import { isEntitled, SUBSCRIPTION_STATUSES, type SubscriptionStatus } from '@tradepost/contract/subscriptions'
import { isInactive } from '../../accounts/accounts.queries.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { Env } from '../../platform/env.ts'
import type { Log } from '../../platform/log.ts'
import { readTerms } from '../../platform/operator-texts.ts'
import type { Settings } from '../../platform/settings.ts'
import { isLiveMode } from '../../stripe/stripe-client.ts'
import { findPayoutAccount, type PayoutAccount } from '../payouts/payout-accounts.queries.ts'
import { isReady, lacksTaxSettings } from '../payouts/payout-status.ts'
import { findLiveStatus } from './subscriptions.queries.ts'

/** The states that give access, as lists for the database. */
export const ENTITLED_STATUSES: readonly SubscriptionStatus[] = SUBSCRIPTION_STATUSES.filter(isEntitled)

/** The relationship of a viewer to a trader. All three false: the viewer cannot subscribe. */
export type Relationship = { isSelf: boolean; isSubscribed: boolean; canSubscribe: boolean }

/** The facts that decide it. */
export type RelationshipFacts = {
  /** Of the trader's payouts; null where they were never set up. */
  payouts: Pick<PayoutAccount, 'transfersStatus' | 'closedAt' | 'taxReady'> | null
  /** Whether the trader is suspended or has closed the account. */
  suspended: boolean
  /** Of the pair's live subscription, null without one. */
  liveStatus: SubscriptionStatus | null
}

/** The settings that decide whether anybody is charged here. */
export type SellingSettings = { stripe: Pick<Settings['stripe'], 'secretKey'> } & Pick<
  Settings,
  'taxLiable' | 'terms'
>

/** Whether anybody may subscribe: real money is taken only where the operator has published terms to agree to (rule G-125). */
function mayCharge({ stripe, terms }: Omit<SellingSettings, 'taxLiable'>): boolean {
  return terms.isOwn || !isLiveMode({ stripe })
}

/** Whether nobody may subscribe for want of such terms, by the environment alone. */
export function lacksTerms(env: Pick<Env, 'STRIPE_SECRET_KEY' | 'TEXTS_DIR'>): boolean {
  const stripe = { secretKey: env.STRIPE_SECRET_KEY ?? '' }
  return !mayCharge({ stripe, terms: readTerms(env.TEXTS_DIR ?? null) })
}

/** Once at a start of what answers. */
export function warnOfMissingTerms(env: Pick<Env, 'STRIPE_SECRET_KEY' | 'TEXTS_DIR'>, log: Log): void {
  if (lacksTerms(env))
    log.warn(
      { variable: 'TEXTS_DIR', missing: ['terms.md'] },
      'nobody can subscribe: the key takes real money, and the operator has published no terms',
    )
}

/** The one rule of who may subscribe and who is subscribed (docs/specification.md section 6, rules G-27, G-33, G-125 and G-131). */
export function relationshipOf(
  settings: SellingSettings,
  isSelf: boolean,
  facts: RelationshipFacts,
): Relationship {
  const { payouts, suspended } = facts
  const liveStatus = isSelf ? null : facts.liveStatus
  return {
    isSelf,
    isSubscribed: liveStatus !== null && isEntitled(liveStatus),
    canSubscribe: canSell(settings, payouts) && !suspended && !isSelf && liveStatus === null,
  }
}

function canSell(settings: SellingSettings, payouts: RelationshipFacts['payouts']): boolean {
  return mayCharge(settings) && isReady(payouts) && !lacksTaxSettings(settings.taxLiable, payouts)
}

/** @param traderId an account with a username */
export async function readRelationship(
  { db, settings }: { db: Queryable; settings: SellingSettings },
  viewerId: string,
  traderId: string,
): Promise<Relationship> {
  const isSelf = viewerId === traderId
  return relationshipOf(settings, isSelf, {
    payouts: await findPayoutAccount(db, traderId),
    suspended: await isInactive(db, traderId),
    liveStatus: isSelf ? null : await findLiveStatus(db, { traderId, subscriberId: viewerId }),
  })
}
