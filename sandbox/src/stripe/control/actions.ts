import { RETRY_ENDINGS } from '../billing/retries.ts'
import { LIVE, type Subscription } from '../billing/types.ts'
import type { Step } from '../clock/clock.ts'
import { closeAccount, moveAccount } from '../connect/states.ts'
import type { Account } from '../connect/types.ts'
import { dispute } from '../payments/disputes.ts'
import { refund } from '../payments/refunds.ts'
import type { Charge } from '../payments/types.ts'
import { emptyDatabase } from '../store/database.ts'
import type { StripePart } from '../stripe-part.ts'
import { CALM, type Chaos } from '../webhooks/chaos.ts'
import { type NextDisturbance, NO_DISTURBANCE } from '../webhooks/queue.ts'
import { ApiError, invalid } from '../wire/errors.ts'
import { type Fault, REFUSED_STATUSES } from '../wire/faults.ts'
import { type Tx, transact } from '../world.ts'

/** What a person or a test asks of the sandbox; values as text, as forms send them. */
export type Input = Record<string, string>

/** Everything that `/control` can do, by name. Each answers what it did, in words. */
const ACTIONS: Record<string, (part: StripePart, input: Input) => Promise<string> | string> = {
  advance: advance,
  'fail-next': (part, { id }) =>
    inTx(part, (tx) => {
      const subscription = tx.need<Subscription>('subscription', id ?? '')
      if (!LIVE.includes(subscription.status)) throw invalid('This subscription has ended.')
      tx.objects.saveHidden(subscription.id, { ...tx.objects.hidden(subscription.id), failNext: true })
      return 'The next renewal of this subscription will fail.'
    }),
  'retry-ending': (part, { ending }) =>
    inTx(part, (tx) => {
      const chosen = RETRY_ENDINGS.find((one) => one === ending)
      if (chosen === undefined) throw invalid(`The endings are ${RETRY_ENDINGS.join(', ')}.`)
      tx.settings.write('retry-ending', chosen)
      return `After the last attempt: ${chosen}.`
    }),
  restrict: (part, { id }) =>
    account(part, id, (tx, one) => moveAccount(tx, one, 'restricted'), 'Payouts are restricted.'),
  restore: (part, { id }) =>
    account(part, id, (tx, one) => moveAccount(tx, one, 'ready'), 'Payouts are restored.'),
  close: (part, { id }) => account(part, id, closeAccount, 'The account is closed.'),
  dispute: (part, { id }) =>
    inTx(part, (tx) => {
      dispute(tx, id ?? '')
      return 'The payment is disputed.'
    }),
  refund: (part, { id }) => inTx(part, (tx) => refundAll(tx, id ?? '')),
  duplicate: (part) => next(part, 'duplicate', 'The next delivery will arrive twice.'),
  reorder: (part) => next(part, 'reorder', 'The next delivery will arrive after later ones.'),
  drop: (part) => next(part, 'drop', 'The next delivery will be lost once, and sent again.'),
  resend: (part, { id }) =>
    inTx(part, (tx) => {
      const delivery = tx.db.get<{ id: number }>('SELECT id FROM deliveries WHERE id = ?', id ?? '')
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
      const chaos = tx.settings.read<Chaos>('chaos', CALM)
      tx.settings.write('chaos', {
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
      tx.settings.write('chaos', CALM)
      tx.settings.write('next-disturbance', NO_DISTURBANCE)
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
    work(tx, tx.need<Account>('v2.core.account', id ?? ''))
    return words
  })
}

/** All that is left of a payment goes back: the trader's part and the platform's fee with it. */
function refundAll(tx: Tx, id: string): string {
  const charge = tx.need<Charge>('charge', id)
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
    const asked = tx.settings.read<NextDisturbance>('next-disturbance', NO_DISTURBANCE)
    tx.settings.write('next-disturbance', { ...asked, [kind]: asked[kind] + 1 })
    return words
  })
}

function share(text: string | undefined, otherwise: number, most: number): number {
  if (text === undefined || text === '') return otherwise
  const value = Number(text)
  if (!(value >= 0 && value <= most)) throw invalid(`Give a number from 0 to ${most}.`)
  return value
}

function faultOf(input: Input): Fault {
  switch (input.kind) {
    case 'error':
      return { kind: 'error', status: input.status === '503' ? 503 : 500 }
    case 'slow':
      return { kind: 'slow', ms: share(input.ms, 1000, 60_000) }
    case 'refuse': {
      const status = REFUSED_STATUSES.find((one) => String(one) === input.status)
      if (status === undefined) throw invalid(`A refusal has a status of ${REFUSED_STATUSES.join(', ')}.`)
      return { kind: 'refuse', status }
    }
    case 'rate-limit':
    case 'lost-answer':
      return { kind: input.kind }
    default:
      throw invalid('Faults are error, refuse, rate-limit, slow and lost-answer.')
  }
}
