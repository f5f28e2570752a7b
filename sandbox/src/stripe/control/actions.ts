import { RETRY_ENDING, RETRY_ENDINGS } from '../billing/retries.ts'
import { TERMS_URL } from '../checkout/terms-consent.ts'
import type { Step } from '../clock/clock.ts'
import { closeAccount, moveAccount } from '../connect/states.ts'
import { CALM, CHAOS, NEXT_DISTURBANCE, type NextDisturbance, NO_DISTURBANCE } from '../delivery/chaos.ts'
import { LIVE } from '../model/billing.ts'
import type { Account } from '../model/connect.ts'
import { dispute } from '../payments/disputes.ts'
import { warnOfFraud } from '../payments/fraud-warnings.ts'
import { refund } from '../payments/refunds.ts'
import { ApiError, checkUrl, invalid } from '../refusals/errors.ts'
import { fields, number } from '../shape/shape.ts'
import { emptyDatabase } from '../store/database.ts'
import { setPlatformActive } from '../tax/settings.ts'
import { transact } from '../world/transact.ts'
import type { Tx } from '../world/world.ts'
import { faultOf, type Input, share } from './read-input.ts'
import type { StripePart } from './stripe-part.ts'

const idRow = fields({ id: number })

/** Everything that `/control` can do, by name. Each answers what it did, in words. */
const ACTIONS: Record<string, (part: StripePart, input: Input) => Promise<string> | string> = {
  advance: advance,
  'fail-next': (part, { id }) =>
    inTx(part, (tx) => {
      const subscription = tx.need('subscription', id ?? '')
      if (!LIVE.includes(subscription.status)) throw invalid('This subscription has ended.')
      tx.objects.note('subscription', subscription.id, { failNext: true })
      return 'The next renewal of this subscription will fail.'
    }),
  'retry-ending': (part, { ending }) =>
    inTx(part, (tx) => {
      const chosen = RETRY_ENDINGS.find((one) => one === ending)
      if (chosen === undefined) throw invalid(`The endings are ${RETRY_ENDINGS.join(', ')}.`)
      tx.settings.write(RETRY_ENDING, chosen)
      return `After the last attempt: ${chosen}.`
    }),
  'terms-url': (part, { url = '' }) =>
    inTx(part, (tx) => {
      if (url !== '') checkUrl(url, 'url')
      tx.settings.write(TERMS_URL, url)
      return url === '' ? 'The account has no address of its terms.' : `The terms are at ${url}.`
    }),
  'tax-settings': (part, { status }) =>
    inTx(part, (tx) => {
      if (status !== 'active' && status !== 'pending') throw invalid('The statuses are active, pending.')
      setPlatformActive(tx, status === 'active')
      return `The platform’s tax settings are ${status}.`
    }),
  restrict: (part, { id }) =>
    account(part, id, (tx, one) => moveAccount(tx, one, 'restricted'), 'Payouts are restricted.'),
  restore: (part, { id }) =>
    account(part, id, (tx, one) => moveAccount(tx, one, 'ready'), 'Payouts are restored.'),
  reject: (part, { id }) =>
    account(part, id, (tx, one) => moveAccount(tx, one, 'rejected'), 'The account is rejected.'),
  close: (part, { id }) => account(part, id, closeAccount, 'The account is closed.'),
  dispute: (part, { id }) =>
    inTx(part, (tx) => {
      dispute(tx, id ?? '')
      return 'The payment is disputed.'
    }),
  inquire: (part, { id }) =>
    inTx(part, (tx) => {
      dispute(tx, id ?? '', 'inquiry')
      return 'The bank asks about the payment, and takes nothing.'
    }),
  'warn-of-fraud': (part, { id }) =>
    inTx(part, (tx) => {
      warnOfFraud(tx, id ?? '')
      return 'The card network has warned of the payment.'
    }),
  refund: (part, { id }) => inTx(part, (tx) => refundAll(tx, id ?? '')),
  duplicate: (part) => next(part, 'duplicate', 'The next delivery will arrive twice.'),
  reorder: (part) => next(part, 'reorder', 'The next delivery will arrive after later ones.'),
  drop: (part) => next(part, 'drop', 'The next delivery will be lost once, and sent again.'),
  resend: (part, { id }) =>
    inTx(part, (tx) => {
      const delivery = tx.db.get(idRow, 'SELECT id FROM deliveries WHERE id = ?', id ?? '')
      if (delivery === undefined) throw invalid(`There is no delivery ${id ?? 'without a number'}.`)
      tx.db.run(
        "UPDATE deliveries SET state = 'waiting', next_at = ?, attempts = 0 WHERE id = ?",
        Date.now(),
        delivery.id,
      )
      return 'The event is sent again.'
    }),
  chaos: (part, input) =>
    inTx(part, (tx) => {
      const chaos = tx.settings.read(CHAOS)
      tx.settings.write(CHAOS, {
        seed: share(input.seed, chaos.seed, 2 ** 31),
        jitterMs: share(input.jitterMs, chaos.jitterMs, 60_000),
        duplicate: share(input.duplicate, chaos.duplicate, 1),
        reorder: share(input.reorder, chaos.reorder, 1),
        drop: share(input.drop, chaos.drop, 1),
      })
      return 'Deliveries now behave as set.'
    }),
  fault: (part, input) => {
    const { method, path } = input
    if (path !== undefined && !/^\/v[12]\//.test(path)) throw invalid('A path begins with /v1/ or /v2/.')
    const aim = { method: method?.toUpperCase() ?? null, path: path ?? null }
    const times = Math.max(1, Math.trunc(share(input.times, 1, 1000)))
    part.faults.add(faultOf(input), aim, times)
    return `The next ${times > 1 ? `${times} ` : ''}${[aim.method ?? 'API', aim.path].filter((word) => word !== null).join(' ')} request${times > 1 ? 's' : ''} will meet this fault.`
  },
  calm: (part) =>
    inTx(part, (tx) => {
      part.faults.clear()
      tx.settings.write(CHAOS, CALM)
      tx.settings.write(NEXT_DISTURBANCE, NO_DISTURBANCE)
      return 'Deliveries are no longer disturbed.'
    }),
  reset: (part) =>
    inTx(part, (tx) => {
      part.faults.clear()
      emptyDatabase(tx.db)
      return 'Everything is empty; the clock is back at the present.'
    }),
}

/**
 * Does what a button or a test asked for.
 * @returns what happened in words; `ok` false: nothing did, and why
 */
export async function runAction(
  part: StripePart,
  action: string,
  input: Input,
): Promise<{ ok: boolean; words: string }> {
  const work = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined
  if (work === undefined) return { ok: false, words: `There is no action ${action}.` }
  try {
    return { ok: true, words: await work(part, input) }
  } catch (error) {
    if (error instanceof ApiError) return { ok: false, words: error.message }
    throw error
  }
}

function inTx(part: StripePart, work: (tx: Tx) => string): string {
  return transact(part.world, null, work)
}

async function advance({ clock }: StripePart, input: Input): Promise<string> {
  const amount = (name: string) => (/^\d{1,9}$/.test(input[name] ?? '') ? Number(input[name]) : null)
  const days = amount('days')
  const months = amount('months')
  const seconds = amount('seconds')
  const step: Step | null =
    days !== null ? { days } : months !== null ? { months } : seconds !== null ? { seconds } : null
  if (step === null) throw invalid('Say days, months or seconds.')
  const done = await clock.advance(step)
  return done === 1
    ? 'The clock moved on; one thing fell due.'
    : `The clock moved on; ${done} things fell due.`
}

function account(
  part: StripePart,
  id: string | undefined,
  work: (tx: Tx, one: Account) => void,
  words: string,
): string {
  return inTx(part, (tx) => {
    work(tx, tx.need('v2.core.account', id ?? ''))
    return words
  })
}

/** All that is left of a payment goes back: the trader's part and the platform's fee with it. */
function refundAll(tx: Tx, id: string): string {
  const charge = tx.need('charge', id)
  refund(tx, charge, {
    amount: null,
    reason: 'requested_by_customer',
    reverse: charge.transfer !== undefined,
    fee: charge.application_fee !== null,
    metadata: {},
  })
  return 'The payment is refunded.'
}

function next(part: StripePart, kind: keyof NextDisturbance, words: string): string {
  return inTx(part, (tx) => {
    const asked = tx.settings.read(NEXT_DISTURBANCE)
    tx.settings.write(NEXT_DISTURBANCE, { ...asked, [kind]: asked[kind] + 1 })
    return words
  })
}
