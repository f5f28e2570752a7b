import type { Stored } from '../store/objects.ts'

export type Customer = Stored & {
  email: string | null
  name?: string | null
  metadata: Record<string, string>
  invoice_settings: { default_payment_method: string | null; [field: string]: unknown }
  next_invoice_sequence?: number
  test_clock?: string | null
  invoice_prefix?: string | null
}
