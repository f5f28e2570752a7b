import { withdrawalEnds } from '@tradepost/contract/leaving'
import {
  type DisputedPayment,
  isEntitled,
  type MailsRefused,
  type PaymentReturn,
  type SubscriptionItem,
  subscriptionsAnswer,
} from '@tradepost/contract/subscriptions'
import { versionedCache } from '../../platform/cache/versioned-cache.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import { ReadyAnswer } from '../../platform/http/ready-answer.ts'
import type { Caller } from '../../platform/http/register-endpoints.ts'
import type { Settings } from '../../platform/settings.ts'
import { EMPTY_MONTH } from '../debts/debts.ts'
import { type FollowedPrice, keptCents, presentPrice, proposalOf } from '../prices/followers-price.ts'
import {
  findListState,
  type ListedSubscription,
  type ListState,
  readList,
} from './listed-subscriptions.queries.ts'

/** Of a process, in bytes: lists of a thousand people. */
const MAX_KEPT_SIZE = 4_000_000
/** A list of one state never changes, so that there is one version of it. */
const ONLY = 1

type ListSettings = Pick<Settings, 'subscriptionCurrency'>

/**
 * The caller's subscriptions of now and of before, why mails are withheld from them, and whether they want any. Written once for the list's state, a hash that
 * the database makes of it at each call (ADR 0101).
 * @returns answers a caller
 */
export function makeSubscriptionsList({
  db,
  pipelined,
  settings,
}: {
  db: Queryable
  pipelined: Queryable
  settings: ListSettings
}): (caller: Caller, now: Date) => Promise<ReadyAnswer> {
  const findKept = versionedCache<ReadyAnswer>({
    maxSize: MAX_KEPT_SIZE,
    sizeOf: ({ json }) => 2 * json.length,
  })
  return async ({ userId }, now) => {
    const found = await findListState(pipelined, userId)
    const mailsRefused = readRefused(found, now)
    const { positionMails } = found
    const keyOf = (state: string) => `${userId} ${state} ${mailsRefused} ${positionMails}`
    const read = async () => {
      const { listed, state } = await readList(db, userId)
      return { key: keyOf(state), answer: write(listed, { mailsRefused, positionMails }, settings, now) }
    }
    const kept = await findKept(new Map([[keyOf(found.state), ONLY]]), async () => {
      const { answer, key } = await read()
      return new Map([[key, answer]])
    })
    // A list that has changed since its state was read is not kept.
    const [answer = (await read()).answer] = kept.values()
    return answer
  }
}

/** Null while mails go out. */
function readRefused({ cause, endsAt }: ListState, now: Date): MailsRefused | null {
  if (cause === null || (endsAt !== null && endsAt <= now)) return null
  return cause === 'complained' ? 'complained' : 'refused'
}

/** With nothing that the contract does not name. */
function write(
  listed: readonly ListedSubscription[],
  mails: { mailsRefused: MailsRefused | null; positionMails: boolean },
  settings: ListSettings,
  now: Date,
): ReadyAnswer {
  const subscriptions = listed.map((one) => present(one, settings, now))
  return new ReadyAnswer(JSON.stringify(subscriptionsAnswer.parse({ subscriptions, ...mails })))
}

function present(listed: ListedSubscription, settings: ListSettings, now: Date): SubscriptionItem {
  const { currentPeriodEnd, disputes, endsAt, firstPaidAt, returns, startedAt, trialEndsAt, withdrawnAt } =
    listed
  const discount = discountOf(listed)
  const price = priceOf(listed)
  const newPrice = proposed(listed, price, settings, now)
  return {
    ...listed,
    priceCents: keptCents(price),
    endsAt: endsAt && new Date(endsAt).toISOString(),
    currentPeriodEnd: currentPeriodEnd && new Date(currentPeriodEnd).toISOString(),
    startedAt: new Date(startedAt).toISOString(),
    ...(newPrice && { newPrice }),
    ...(discount && { discount }),
    withdrawUntil: firstPaidAt && withdrawalEnds(new Date(firstPaidAt)).toISOString(),
    trialEndsAt: trialEndsAt && new Date(trialEndsAt).toISOString(),
    withdrawnAt: withdrawnAt === null ? undefined : new Date(withdrawnAt).toISOString(),
    returns: returns?.map(presentReturn),
    disputes: disputes?.map(presentDispute),
  }
}

function presentDispute({
  disputedAt,
  paidCents,
  status,
}: NonNullable<ListedSubscription['disputes']>[number]): DisputedPayment {
  const decided = status === 'won' ? 'payment' : status === 'lost' ? 'payer' : null
  return { paidCents, disputedAt: new Date(disputedAt).toISOString(), decided }
}

function presentReturn({
  cause,
  cents,
  returnedAt,
  why,
}: NonNullable<ListedSubscription['returns']>[number]): PaymentReturn {
  return {
    why,
    cents,
    monthFrom: why === 'empty_month' ? cause.slice(EMPTY_MONTH.length) : null,
    returnedAt: returnedAt && new Date(returnedAt).toISOString(),
  }
}

/** Null where nothing is taken off, or no renewal is to come. */
function discountOf({
  currentPeriodEnd,
  discountCode: code,
  endsAt,
  priceCents,
  renewalCents: cents,
  renewalUntil,
  status,
}: ListedSubscription): SubscriptionItem['discount'] | null {
  if (cents === null || currentPeriodEnd === null || endsAt !== null || !isEntitled(status)) return null
  const until = renewalUntil && new Date(renewalUntil).toISOString()
  return { cents, thenCents: priceCents, until, code }
}

function priceOf(listed: ListedSubscription): FollowedPrice {
  const { agreedCents, agreedFrom, chargedFrom, keptCents: kept, keptSince, priceCents, proposedAt } = listed
  return {
    priceCents,
    kept: kept !== null && keptSince !== null ? { cents: kept, since: new Date(keptSince) } : null,
    agreement:
      agreedCents !== null && proposedAt !== null && agreedFrom !== null
        ? {
            cents: agreedCents,
            proposedAt: new Date(proposedAt),
            from: new Date(agreedFrom),
            chargedFrom: chargedFrom === null ? null : new Date(chargedFrom),
          }
        : null,
  }
}

/** The trader's proposal; null where nothing can be agreed to. */
function proposed(
  { currency, interval, named, periodEnd, startedAt, trialEndsAt }: ListedSubscription,
  price: FollowedPrice,
  settings: ListSettings,
  now: Date,
) {
  if (named === null) return null
  const dated = {
    ...named,
    monthlySince: new Date(named.monthlySince),
    yearlySince: named.yearlySince === null ? null : new Date(named.yearlySince),
  }
  const present = presentPrice(dated, { interval, currency }, settings)
  const ends = periodEnd === null ? null : new Date(periodEnd)
  return proposalOf(
    price,
    present,
    { interval, anchor: new Date(trialEndsAt ?? startedAt), periodEnd: ends },
    now,
  )
}
