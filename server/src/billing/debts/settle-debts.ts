import { findUsername } from '../../accounts/accounts.queries.ts'
import { queueMail } from '../../mail/outbox/queue-mail.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import { overLimit } from '../../platform/rate-limit.ts'
import {
  describeStripeError,
  errorCode,
  healsByItself,
  isStripeError,
  type StripeError,
} from '../../stripe/stripe-errors.ts'
import type { Pair } from '../../stripe/subscriptions.ts'
import { backOff } from '../../work/back-off.ts'
import { alertOperator } from '../provider/alert-operator.ts'
import type { BillingDeps } from '../provider/billing-deps.ts'
import { pairLock, withProviderLock, type withProviderLockIfFree } from '../provider/provider-lock.ts'
import { closeDebt, type Debt, findDueDebt, listReturns, noteDebtFailure } from './debts.queries.ts'
import type { DebtKind } from './debts.ts'
import { settleDebt, writeAgain } from './settle-debt.ts'

/**
 * Pauses between tries of a debt that may succeed without help. The longest is also the one after a refusal: a person may have
 * removed the cause by then.
 */
const PAUSES = { firstMs: 10_000, longestMs: 6 * 3_600_000 }
/** After so many tries a debt that should succeed without help has failed for about 40 minutes. */
const TRIES_BEFORE_ALERT = 9
/** With an API key that Stripe no longer accepts every call is refused: after so many mails the operator's list holds the rest. */
const ALERTS_AN_HOUR = 20

/**
 * Does what is owed at Stripe for a pair and is due, each debt in a separate transaction: one that fails holds up
 * nothing but itself, keeps its reason, and is tried again. The operator is mailed at the first answer that will not heal
 * without help.
 * @param lock of the pair; one that gives up where somebody else deals with the pair leaves the debts to them
 */
export async function settleDebts(
  deps: BillingDeps,
  pair: Pair,
  now: Date,
  lock: typeof withProviderLockIfFree = withProviderLock,
): Promise<void> {
  const tried: string[] = []
  for (;;) {
    const id = await lock(deps.db, pairLock(pair), async (tx) => {
      const debt = await findDueDebt(tx, pair, tried, now)
      if (debt) await tryDebt(deps, tx, debt, now)
      return debt?.id ?? null
    })
    if (id === null) return
    tried.push(id)
  }
}

async function tryDebt(deps: BillingDeps, tx: Queryable, debt: Debt, now: Date): Promise<void> {
  try {
    const outcome = await settleDebt(deps, tx, debt, now)
    if (outcome.kind === 'waits') return await putOff(tx, debt, now)
    await closeDebt(tx, debt, outcome.cents, now)
    if (debt.kind === 'transfer' && debt.invoiceId) await writeAgain(deps, tx, debt, debt.invoiceId, now)
  } catch (error) {
    if (!isStripeError(error)) throw error
    deps.log.warn({ ...describeStripeError(error), debt: debt.id, kind: debt.kind }, 'a debt stays open')
    await keepOwing(tx, debt, error, now)
  }
  await oweReturnMails(tx, debt, now)
}

/** The bank decides first. */
async function putOff(tx: Queryable, debt: Debt, now: Date): Promise<void> {
  const dueAt = new Date(now.getTime() + PAUSES.longestMs)
  await noteDebtFailure(tx, debt, { ...debt, error: 'charge_disputed', dueAt })
}

async function keepOwing(tx: Queryable, debt: Debt, error: StripeError, now: Date): Promise<void> {
  const tries = debt.tries + 1
  const heals = healsByItself(error)
  const pause = heals ? backOff(PAUSES, tries) : PAUSES.longestMs
  const needsPerson = !heals || tries >= TRIES_BEFORE_ALERT
  const alerts = needsPerson && debt.alertedAt === null && (await mayAlert(tx, now))
  if (alerts)
    await alertOperator(tx, `Stripe ${heals ? 'fails at' : 'refused'} ${WORDS[debt.kind]}`, debt.subject, now)
  await noteDebtFailure(tx, debt, {
    tries,
    error: errorCode(error),
    refusedAt: heals ? null : (debt.refusedAt ?? now),
    alertedAt: alerts ? now : debt.alertedAt,
    dueAt: new Date(now.getTime() + pause),
  })
}

async function mayAlert(tx: Queryable, now: Date): Promise<boolean> {
  const limit = { key: 'alert:debts', max: ALERTS_AN_HOUR, windowSeconds: 3600 }
  return (await overLimit(tx, limit, now)) === null
}

const WORDS: Record<DebtKind, string> = {
  end: 'the end of a subscription',
  void: 'to void what an ended subscription asks for',
  refund: 'a refund',
  reversal: "a trader's return of a disputed payment",
  transfer: "a trader's share of a dispute that was won",
  collection: 'to stop or resume a collection',
}

/**
 * Queues the mails about money that went back, once a subscription's end and refunds are settled. A refund that
 * Stripe refuses does not keep the mail from a subscriber that their trader is gone.
 * @param debt the one that was just settled or refused
 */
async function oweReturnMails(
  tx: Queryable,
  debt: Pick<Debt, 'traderId' | 'subscriberId' | 'subscriptionId' | 'currency'>,
  now: Date,
): Promise<void> {
  const { currency, subscriberId, subscriptionId: cause, traderId } = debt
  const returns = await listReturns(tx, debt)
  const reason = returns.find(({ kind }) => kind === 'end')?.cause
  const unsettled = returns.filter(({ state }) => state === 'open')
  if (unsettled.some(({ kind, refused }) => kind === 'end' || !refused)) return
  const refunds = returns.filter(({ kind, state }) => kind === 'refund' && state !== 'dropped')
  const amountCents = refunds.reduce((sum, refund) => sum + (refund.amountCents ?? 0), 0)
  const facts = { trader: (await findUsername(tx, traderId)) ?? '', amountCents, currency }
  if (reason === 'trader_unavailable')
    await queueMail(tx, { kind: 'trader_unavailable', userId: subscriberId, cause, facts }, now)
  if (reason !== 'double' || unsettled.length > 0 || amountCents === 0) return
  for (const to of ['subscriber', 'trader'] as const) {
    const userId = to === 'trader' ? traderId : subscriberId
    await queueMail(tx, { kind: 'double_payment_returned', userId, cause, facts: { ...facts, to } }, now)
  }
}
