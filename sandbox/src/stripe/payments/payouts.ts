import { type Account, mayReceive } from '../connect/types.ts'
import { balanceOf, move, nextAvailable, nextPayoutTime, PLATFORM } from '../store/ledger.ts'
import { inaccessible, missing } from '../wire/errors.ts'
import { page } from '../wire/lists.ts'
import { type Call, PAGING, type Route } from '../wire/route.ts'
import type { Tx } from '../world.ts'
import type { Payout } from './types.ts'

const DAYS_TO_THE_BANK = 1

export const payoutRoutes: Route[] = [
  {
    endpoint: 'GET /v1/payouts',
    reads: [...PAGING, 'status', 'created'],
    forAccounts: true,
    answer(call) {
      const { status } = call.params
      const equal = typeof status === 'string' ? { status } : {}
      return page(call, 'payout', { parent: ownerOf(call), equal })
    },
  },
  { endpoint: 'GET /v1/payouts/:id', reads: [], forAccounts: true, answer: retrieve },
]

/** Whose payouts are asked for. The platform's own are not simulated. */
function ownerOf({ tx, onBehalfOf }: Call): string {
  if (onBehalfOf === null) return PLATFORM
  if (tx.objects.find(onBehalfOf)?.object !== 'v2.core.account') throw inaccessible(onBehalfOf)
  return onBehalfOf
}

function retrieve(call: Call): Payout {
  const { tx, id } = call
  const owner = ownerOf(call)
  const found = tx.need<Payout>('payout', id)
  if (tx.objects.hidden(id).parent !== owner) throw missing('payout', id)
  return found
}

/**
 * Sends what is available to an account's bank every day (docs.stripe.com/connect/manage-payout-schedule). Sends
 * nothing while the balance is not more than zero, or while the account may not receive money; what is still pending
 * has its own day.
 */
export function payOut(tx: Tx, id: string): void {
  const account = tx.objects.find(id) as Account | null
  if (account === null) return
  const next = nextAvailable(tx, id)
  if (next !== null) tx.schedule('pay-out', id, nextPayoutTime(next))
  if (!mayReceive(account)) return
  for (const { currency, available } of balanceOf(tx, id)) {
    if (available > 0) send(tx, id, currency, available)
  }
}

function send(tx: Tx, account: string, currency: string, amount: number): void {
  const payout = tx.make<Payout>('payout', {
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
  // The other side of it, so that the ledger adds up: what came in is what lies somewhere.
  move(tx, { ...movement, account: `bank of ${account}`, amount })
  tx.add(payout, { parent: account })
  tx.schedule('payout-arrives', payout.id, payout.arrival_date)
}

/** The bank has it. */
export function payoutArrives(tx: Tx, id: string): void {
  tx.change(tx.need<Payout>('payout', id), { status: 'paid' })
}
