import type { Queryable } from '../../platform/database/queryable.ts'
import { isUsedUp } from './find-trial.ts'
import { findVerdict, insertVerdict, lockTrialKeys, type PersonKeys } from './trials.queries.ts'

/** A trial as it began at Stripe, and the person who has it. */
export type AskedTrial = {
  stripeSubscriptionId: string
  traderId: string
  beganAt: Date
  person: PersonKeys
}

/**
 * Lets nobody else decide about these people until the transaction ends. Call it once in a transaction: the locks are taken in one order
 * everywhere, so that no two wait for each other.
 */
export async function lockPeople(tx: Queryable, trials: readonly AskedTrial[]): Promise<void> {
  const keys = trials.flatMap(({ person: { hashed, userId } }) => [
    userId,
    ...hashed.flatMap(({ address, card }) =>
      [address, card].flatMap((hmac) => hmac?.toString('base64url') ?? []),
    ),
  ])
  await lockTrialKeys(tx, [...new Set(keys)].sort())
}

/**
 * Grants a trial or refuses it, once and for all: the same answer at every repetition (rule G-123). One without a card is refused. Call it
 * behind `lockPeople`.
 * @returns whether it is granted
 */
export async function decideTrial(tx: Queryable, asked: AskedTrial, now: Date): Promise<boolean> {
  const { beganAt, person, stripeSubscriptionId, traderId } = asked
  const known = await findVerdict(tx, stripeSubscriptionId)
  if (known !== null) return known
  const hasCard = person.hashed.some(({ card }) => card !== null)
  const granted = hasCard && !(await isUsedUp(tx, person, traderId, beganAt))
  await insertVerdict(tx, { stripeSubscriptionId, traderId, granted, beganAt }, person, now)
  return granted
}
