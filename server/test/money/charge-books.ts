import assert from 'node:assert/strict'
import type Stripe from 'stripe'

/** Where the money of one charge lies or went, in cents, by the balance transactions of the payments service. */
export type ChargeBook = {
  customer: string
  /** Seconds since 1970. */
  at: number
  charged: number
  fee: number
  destination: string
  trader: number
  platform: number
  refunded: number
  withdrawn: number
}

const PAGE = 100
const MOST = 10_000

/** Books of all charges, read on from where the last reading ended. */
export function openBooks(stripe: Stripe) {
  const books = new Map<string, ChargeBook>()
  const chargeOf = new Map<string, string>()
  const newest = { charge: '', movement: '' }
  const since = (id: string) => ({ limit: PAGE, ...(id !== '' && { ending_before: id }) })

  async function readCharges(): Promise<void> {
    const found = await stripe.charges.list(since(newest.charge)).autoPagingToArray({ limit: MOST })
    const charges = newest.charge === '' ? found.toReversed() : found
    newest.charge = charges.at(-1)?.id ?? newest.charge
    for (const charge of charges) {
      if (charge.status !== 'succeeded') continue
      books.set(charge.id, {
        at: charge.created,
        ...{
          customer: String(charge.customer),
          charged: charge.amount,
          fee: charge.application_fee_amount ?? 0,
        },
        destination: String(charge.transfer_data?.destination),
        ...{ trader: 0, platform: 0, refunded: 0, withdrawn: 0 },
      })
    }
  }

  async function readMovements(): Promise<void> {
    const list = stripe.balanceTransactions.list({ ...since(newest.movement), expand: ['data.source'] })
    const found = await list.autoPagingToArray({ limit: MOST })
    const movements = newest.movement === '' ? found.toReversed() : found
    newest.movement = movements.at(-1)?.id ?? newest.movement
    for (const { amount, source, type } of movements) {
      assert.ok(source && typeof source !== 'string')
      const charge = findCharge(source, chargeOf)
      chargeOf.set(source.id, charge)
      const book = books.get(charge) ?? assert.fail(`${type} of ${source.id} is about no charge`)
      book.platform += amount
      if (PASSED_ON.includes(type)) book.trader -= amount
      if (type === 'refund') book.refunded -= amount
      if (type === 'adjustment') book.withdrawn -= amount
    }
  }

  return {
    /** @returns by the charge's id, in their order @throws where a movement is about no charge, or a charge does not add up */
    async read(): Promise<Map<string, ChargeBook>> {
      await readCharges()
      await readMovements()
      for (const [id, { charged, platform, refunded, trader, withdrawn }] of books)
        assert.equal(charged, trader + platform + refunded + withdrawn, `${id} does not add up`)
      return books
    },
  }
}

/** Movements between the platform and a trader, as the platform has them. */
const PASSED_ON = ['transfer', 'transfer_refund', 'application_fee', 'application_fee_refund']

/** The charge that a movement is about. @param chargeOf those of movements before */
function findCharge(source: Stripe.BalanceTransactionSource, chargeOf: Map<string, string>): string {
  const behind = (id: unknown) => chargeOf.get(String(id)) ?? assert.fail(`${source.id} follows nothing`)
  switch (source.object) {
    case 'charge':
      return source.id
    case 'transfer':
      return source.source_transaction === null
        ? behind(source.metadata.dispute)
        : String(source.source_transaction)
    case 'application_fee':
      return String(source.charge)
    case 'fee_refund':
      return behind(source.fee)
    case 'transfer_reversal':
      return behind(source.transfer)
    case 'refund':
    case 'dispute':
      return String(source.charge)
    default:
      return assert.fail(`money moved by a ${source.object}`)
  }
}
