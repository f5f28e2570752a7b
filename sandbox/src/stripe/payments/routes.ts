import { checkDestination } from '../connect/destination.ts'
import { balanceOf, PLATFORM } from '../ledger/ledger.ts'
import type { FeeRefund, Transfer, TransferReversal } from '../model/payments.ts'
import { inaccessible, invalid } from '../refusals/errors.ts'
import { anything, flag, number, optional, text } from '../shape/shape.ts'
import { CREATED, PAGING, page } from '../wire/lists.ts'
import { mergeMetadata } from '../wire/metadata.ts'
import { type Call, type CallWith, type Route, route } from '../wire/route.ts'
import { makeTransfer } from './pass-on.ts'
import { checkFeeRefund, refundFee, reverseTransfer } from './reverse.ts'

const LIST = { ...PAGING, ...CREATED }
const INTENTS = { ...LIST, customer: optional(text) }
const CHARGES = { ...INTENTS, payment_intent: optional(text), transfer_group: optional(text) }
const TRANSFERS = { ...LIST, destination: optional(text), transfer_group: optional(text) }
const FEES = { ...LIST, charge: optional(text) }
const TRANSACTIONS = { ...LIST, type: optional(text), source: optional(text) }

const TRANSFER = {
  amount: optional(number),
  currency: text,
  destination: text,
  metadata: optional(anything),
  transfer_group: optional(text),
  source_transaction: optional(text),
  description: optional(text),
}

const REVERSAL = {
  amount: optional(number),
  metadata: optional(anything),
  refund_application_fee: optional(flag),
}

const FEE_REFUND = { amount: optional(number), metadata: optional(anything) }

/** Reading what payments left behind, and the platform's own transfers. */
export const paymentRoutes: Route[] = [
  route('GET /v1/payment_intents', INTENTS, (call) =>
    page(call, 'payment_intent', { equal: { customer: call.params.customer } }),
  ),
  route('GET /v1/payment_intents/:id', {}, ({ tx, id }) => tx.need('payment_intent', id)),
  route('GET /v1/charges', CHARGES, (call) => {
    const { customer, payment_intent, transfer_group } = call.params
    return page(call, 'charge', { equal: { customer, payment_intent, transfer_group } })
  }),
  route('GET /v1/charges/:id', {}, ({ tx, id }) => tx.need('charge', id)),
  route('POST /v1/transfers', TRANSFER, createTransfer),
  route('GET /v1/transfers', TRANSFERS, (call) => {
    const { destination, transfer_group } = call.params
    return page(call, 'transfer', { equal: { destination, transfer_group } })
  }),
  route('GET /v1/transfers/:id', {}, ({ tx, id }) => tx.need('transfer', id)),
  route('GET /v1/transfers/:id/reversals', PAGING, (call) =>
    page(call, 'transfer_reversal', { parent: call.tx.need('transfer', call.id).id }),
  ),
  route('POST /v1/transfers/:id/reversals', REVERSAL, createReversal),
  route('GET /v1/application_fees', FEES, (call) =>
    page(call, 'application_fee', { equal: { charge: call.params.charge } }),
  ),
  route('GET /v1/application_fees/:id', {}, ({ tx, id }) => tx.need('application_fee', id)),
  route('GET /v1/application_fees/:id/refunds', PAGING, (call) =>
    page(call, 'fee_refund', { parent: call.tx.need('application_fee', call.id).id }),
  ),
  route('POST /v1/application_fees/:id/refunds', FEE_REFUND, createFeeRefund),
  route('GET /v1/balance', {}, balance, { forAccounts: true }),
  route('GET /v1/balance_transactions', TRANSACTIONS, (call) => {
    const { type, source } = call.params
    return page(call, 'balance_transaction', { equal: { type, source } })
  }),
  route('GET /v1/balance_transactions/:id', {}, ({ tx, id }) => tx.need('balance_transaction', id)),
]

function createTransfer({ tx, params }: CallWith<typeof TRANSFER>): Transfer {
  const { amount, destination } = params
  if (amount === undefined || amount < 1)
    throw invalid('This value must be greater than or equal to 1.', 'amount', 'parameter_invalid_integer')
  checkDestination(tx, destination, 'destination')
  return makeTransfer(tx, {
    amount,
    currency: params.currency.toLowerCase(),
    destination,
    source: params.source_transaction ?? null,
    group: params.transfer_group ?? null,
    description: params.description ?? null,
    metadata: mergeMetadata(null, params.metadata),
  })
}

function createReversal({ tx, params, id }: CallWith<typeof REVERSAL>): TransferReversal {
  const transfer = tx.need('transfer', id)
  const amount = params.amount ?? transfer.amount - transfer.amount_reversed
  const reversal = reverseTransfer(tx, transfer, amount, null, mergeMetadata(null, params.metadata))
  if (params.refund_application_fee === true && transfer.source_transaction !== null) {
    const charge = tx.need('charge', transfer.source_transaction)
    if (charge.application_fee !== null) {
      const fee = tx.need('application_fee', charge.application_fee)
      const part = Math.round((fee.amount * transfer.amount_reversed) / transfer.amount) - fee.amount_refunded
      if (part > 0) refundFee(tx, fee, part)
    }
  }
  return reversal
}

/** Gives a part of the fee back to the connected account, beside any refund of the payment; all that is left unless it says how much. */
function createFeeRefund({ tx, params, id }: CallWith<typeof FEE_REFUND>): FeeRefund {
  const fee = tx.need('application_fee', id)
  const amount = params.amount ?? fee.amount - fee.amount_refunded
  checkFeeRefund(fee, amount)
  return refundFee(tx, fee, amount, mergeMetadata(null, params.metadata))
}

function balance({ tx, onBehalfOf }: Call): unknown {
  if (onBehalfOf !== null && tx.objects.find('v2.core.account', onBehalfOf) === null)
    throw inaccessible(onBehalfOf)
  const rows = balanceOf(tx, onBehalfOf ?? PLATFORM)
  const holdings = rows.length === 0 ? [{ currency: 'usd', available: 0, pending: 0 }] : rows
  const part = (name: 'available' | 'pending') =>
    holdings.map(({ currency, [name]: amount }) => ({ amount, currency, source_types: { card: amount } }))
  return { object: 'balance', livemode: false, available: part('available'), pending: part('pending') }
}
