import { mayReceive } from '../connect/may-receive.ts'
import { balanceOf, move, nextAvailable, nextPayoutTime, PLATFORM } from '../ledger/ledger.ts'
import type { Payout } from '../model/payments.ts'
import { inaccessible, missing } from '../refusals/errors.ts'
import { optional, text } from '../shape/shape.ts'
import { CREATED, PAGING, page } from '../wire/lists.ts'
import { type Call, type Route, route } from '../wire/route.ts'
import type { Tx } from '../world/world.ts'

const DAYS_TO_THE_BANK = 1

const LIST = { ...PAGING, ...CREATED, status: optional(text) }
const FOR_ACCOUNTS = { forAccounts: true } as const

export const payoutRoutes: Route[] = [
  route(
    'GET /v1/payouts',
    LIST,
    (call) => page(call, 'payout', { parent: ownerOf(call), equal: { status: call.params.status } }),
    FOR_ACCOUNTS,
  ),
  route('GET /v1/payouts/:id', {}, retrieve, FOR_ACCOUNTS),
]

/** The account whose payouts are asked for. The platform's own are not simulated. */
function ownerOf({ tx, onBehalfOf }: Pick<Call, 'tx' | 'onBehalfOf'>): string {
  if (onBehalfOf === null) return PLATFORM
  if (tx.objects.find('v2.core.account', onBehalfOf) === null) throw inaccessible(onBehalfOf)
  return onBehalfOf
}

function retrieve(call: Call): Payout {
  const { tx, id } = call
  const owner = ownerOf(call)
  const found = tx.need('payout', id)
  if (tx.objects.parentOf(id) !== owner) throw missing('payout', id)
  return found
}

/**
 * Sends what is available to an account's bank every day (docs.stripe.com/connect/manage-payout-schedule). Sends
 * nothing while the balance is not more than zero, or while the account may not receive money; what is still pending
 * has its own day.
 */
export function payOut(tx: Tx, id: string): void {
  const account = tx.objects.find('v2.core.account', id)
  if (account === null) return
  const next = nextAvailable(tx, id)
  if (next !== null) tx.schedule('pay-out', id, nextPayoutTime(next))
  if (!mayReceive(account)) return
  for (const { currency, available } of balanceOf(tx, id)) {
    if (available > 0) send(tx, id, currency, available)
  }
}

function send(tx: Tx, account: string, currency: string, amount: number): void {
  const payout = tx.make('payout', {
    amount,
    currency,
    arrival_date: tx.now + DAYS_TO_THE_BANK * 86_400,
    automatic: true,
    description: 'STRIPE PAYOUT',
    metadata: {},
    method: 'standard',
    reconciliation_status: 'completed',
    source_type: 'card',
    status: 'in_transit',
    type: 'bank_account',
  })
  const movement = { currency, kind: 'payout' as const, source: payout.id }
  move(tx, { ...movement, account, amount: -amount })
  // The other side of the movement, so that the ledger adds up: all money that came in is on some account.
  move(tx, { ...movement, account: `bank of ${account}`, amount })
  tx.add(payout, { parent: account })
  tx.schedule('payout-arrives', payout.id, payout.arrival_date)
}

/** The bank has it. */
export function payoutArrives(tx: Tx, id: string): void {
  tx.change(tx.need('payout', id), { status: 'paid' })
}
