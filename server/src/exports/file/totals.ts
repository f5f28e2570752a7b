import { gainNumber } from '@tradepost/contract/gain'
import Big from 'big.js'
import type { Columns, Row } from '../tables/export-table.ts'

/** Sums of the file, each with its unit in its name. @property currency of an amount */
export const TOTALS: Columns = { name: 'text', currency: 'text?', amount: 'decimal' }

type Sums = Map<string, Big>

/** Sums over the rows that are written, so that they are the file's own. */
export type Totals = { add(table: string, row: Row): void; rows(): Row[] }

/** The sums of the screens: positions without those that were struck (ADR 0079), the average of settled closes, money by currency. */
export function makeTotals(): Totals {
  const counts = { positions: 0, open_positions: 0, closed_positions: 0, struck_positions: 0 }
  const gains = { count: 0, sum: new Big(0) }
  const money: Record<'paid_cents' | 'refunded_cents' | 'earned_cents', Sums> = {
    paid_cents: new Map(),
    refunded_cents: new Map(),
    earned_cents: new Map(),
  }
  return {
    add(table, row) {
      if (table === 'positions') addPosition(counts, gains, row)
      if (table === 'payments') {
        addTo(money.paid_cents, row, row.amount_paid_cents)
        addTo(money.refunded_cents, row, row.refunded_cents)
      }
      if (table === 'earnings') addTo(money.earned_cents, row, earned(row))
    },
    rows() {
      const average = gains.count === 0 ? [] : [String(gainNumber(gains.sum.div(gains.count).toFixed()))]
      return [
        ...Object.entries(counts).map(([name, count]) => total(name, null, String(count))),
        ...average.map((gain) => total('average_gain_percent', null, gain)),
        ...Object.entries(money).flatMap(([name, sums]) =>
          [...sums].map(([currency, sum]) => total(name, currency, sum.toFixed())),
        ),
      ]
    },
  }
}

type Counts = Record<'positions' | 'open_positions' | 'closed_positions' | 'struck_positions', number>

function addPosition(counts: Counts, gains: { count: number; sum: Big }, row: Row): void {
  if (row.struck_at !== null) {
    counts.struck_positions += 1
    return
  }
  counts.positions += 1
  counts[row.closed_at === null ? 'open_positions' : 'closed_positions'] += 1
  if (row.closed_at === null || row.unsettled === true) return
  gains.count += 1
  gains.sum = gains.sum.plus(String(row.percentage_gain))
}

/** The trader's part: passed on, less taken back, less the fee and the tax (ADR 0056, 0135). */
function earned(row: Row): number {
  const { fee_cents, fee_refunded_cents, reversed_cents, tax_held_cents, transferred_cents } = row
  const kept =
    Number(transferred_cents) - Number(reversed_cents) - Number(fee_cents) + Number(fee_refunded_cents)
  return kept - Number(tax_held_cents)
}

function addTo(sums: Sums, { currency }: Row, cents: Row[string] | undefined): void {
  const of = String(currency)
  sums.set(of, (sums.get(of) ?? new Big(0)).plus(Number(cents)))
}

function total(name: string, currency: string | null, amount: string): Row {
  return { name, currency, amount }
}
