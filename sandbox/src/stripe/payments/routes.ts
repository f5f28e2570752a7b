import { checkDestination } from '../connect/destination.ts'
import { balanceOf, PLATFORM } from '../store/ledger.ts'
import type { Filter } from '../store/objects.ts'
import { inaccessible, invalid } from '../wire/errors.ts'
import { page } from '../wire/lists.ts'
import { mergeMetadata } from '../wire/metadata.ts'
import { type Call, PAGING, type Route } from '../wire/route.ts'
import { makeTransfer } from './pass-on.ts'
import { refundFee, reverseTransfer } from './reverse.ts'
import type { ApplicationFee, Charge, Transfer } from './types.ts'

/** Reading what payments left behind, and the platform's own transfers. */
export const paymentRoutes: Route[] = [
  {
    endpoint: 'GET /v1/payment_intents',
    reads: [...PAGING, 'customer', 'created'],
    answer: (call) => page(call, 'payment_intent', equal(call, ['customer'])),
  },
  {
    endpoint: 'GET /v1/payment_intents/:id',
    reads: [],
    answer: ({ tx, id }) => tx.need('payment_intent', id),
  },
  {
    endpoint: 'GET /v1/charges',
    reads: [...PAGING, 'customer', 'payment_intent', 'created', 'transfer_group'],
    answer: (call) => page(call, 'charge', equal(call, ['customer', 'payment_intent', 'transfer_group'])),
  },
  { endpoint: 'GET /v1/charges/:id', reads: [], answer: ({ tx, id }) => tx.need('charge', id) },
  {
    endpoint: 'POST /v1/transfers',
    reads: [
      'amount',
      'currency',
      'destination',
      'metadata',
      'transfer_group',
      'source_transaction',
      'description',
    ],
    answer: createTransfer,
  },
  {
    endpoint: 'GET /v1/transfers',
    reads: [...PAGING, 'destination', 'transfer_group', 'created'],
    answer: (call) => page(call, 'transfer', equal(call, ['destination', 'transfer_group'])),
  },
  { endpoint: 'GET /v1/transfers/:id', reads: [], answer: ({ tx, id }) => tx.need('transfer', id) },
  {
    endpoint: 'GET /v1/transfers/:id/reversals',
    reads: [...PAGING],
    answer: (call) => page(call, 'transfer_reversal', { parent: call.tx.need('transfer', call.id).id }),
  },
  {
    endpoint: 'POST /v1/transfers/:id/reversals',
    reads: ['amount', 'metadata', 'refund_application_fee'],
    answer: createReversal,
  },
  {
    endpoint: 'GET /v1/application_fees',
    reads: [...PAGING, 'charge', 'created'],
    answer: (call) => page(call, 'application_fee', equal(call, ['charge'])),
  },
  {
    endpoint: 'GET /v1/application_fees/:id',
    reads: [],
    answer: ({ tx, id }) => tx.need('application_fee', id),
  },
  { endpoint: 'GET /v1/balance', reads: [], forAccounts: true, answer: balance },
  {
    endpoint: 'GET /v1/balance_transactions',
    reads: [...PAGING, 'type', 'source', 'created'],
    answer: (call) => page(call, 'balance_transaction', equal(call, ['type', 'source'])),
  },
  {
    endpoint: 'GET /v1/balance_transactions/:id',
    reads: [],
    answer: ({ tx, id }) => tx.need('balance_transaction', id),
  },
]

function equal(call: Call, names: string[]): Filter {
  const given = names.filter((name) => typeof call.params[name] === 'string')
  return { equal: Object.fromEntries(given.map((name) => [name, String(call.params[name])])) }
}

function createTransfer({ tx, params }: Call): Transfer {
  const amount = params.amount
  if (typeof amount !== 'number' || amount < 1)
    throw invalid('This value must be greater than or equal to 1.', 'amount', 'parameter_invalid_integer')
  const destination = String(params.destination)
  checkDestination(tx, destination, 'destination')
  return makeTransfer(tx, {
    amount,
    currency: String(params.currency).toLowerCase(),
    destination,
    source: (params.source_transaction as string | undefined) ?? null,
    group: (params.transfer_group as string | undefined) ?? null,
    description: (params.description as string | undefined) ?? null,
    metadata: mergeMetadata(null, params.metadata),
  })
}

function createReversal({ tx, params, id }: Call): unknown {
  const transfer = tx.need<Transfer>('transfer', id)
  const amount = (params.amount as number | undefined) ?? transfer.amount - transfer.amount_reversed
  const reversal = reverseTransfer(tx, transfer, amount, null, mergeMetadata(null, params.metadata))
  if (params.refund_application_fee === true && transfer.source_transaction !== null) {
    const charge = tx.need<Charge>('charge', transfer.source_transaction)
    if (charge.application_fee !== null) {
      const fee = tx.need<ApplicationFee>('application_fee', charge.application_fee)
      const part = Math.round((fee.amount * transfer.amount_reversed) / transfer.amount) - fee.amount_refunded
      refundFee(tx, fee, part)
    }
  }
  return reversal
}

function balance({ tx, onBehalfOf }: Call): unknown {
  if (onBehalfOf !== null && tx.objects.find(onBehalfOf)?.object !== 'v2.core.account')
    throw inaccessible(onBehalfOf)
  const rows = balanceOf(tx, onBehalfOf ?? PLATFORM)
  const holdings = rows.length === 0 ? [{ currency: 'usd', available: 0, pending: 0 }] : rows
  const part = (name: 'available' | 'pending') =>
    holdings.map(({ currency, [name]: amount }) => ({ amount, currency, source_types: { card: amount } }))
  return { object: 'balance', livemode: false, available: part('available'), pending: part('pending') }
}
