import { fields, flag, nullable, number, type Of, oneOf, recordOf, text } from '../shape/shape.ts'
import { stored } from './stored.ts'

const recurring = fields({ interval: oneOf('day', 'week', 'month', 'year'), interval_count: number })
export type Recurring = Of<typeof recurring>

export const price = stored('price', {
  active: flag,
  created: number,
  currency: text,
  product: text,
  unit_amount: number,
  lookup_key: nullable(text),
  metadata: recordOf(text),
  recurring: nullable(recurring),
  tax_behavior: nullable(text),
})
export type Price = Of<typeof price>

export const product = stored('product', { name: text, active: flag, metadata: recordOf(text) })
export type Product = Of<typeof product>
