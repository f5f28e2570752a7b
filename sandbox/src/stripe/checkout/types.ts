import type { Stored } from '../store/objects.ts'

export type Session = Stored & {
  status: 'open' | 'complete' | 'expired'
  payment_status: 'paid' | 'unpaid' | 'no_payment_required'
  customer: string | null
  customer_email: string | null
  client_reference_id: string | null
  success_url: string
  cancel_url: string | null
  expires_at: number
  amount_total: number
  currency: string
  subscription: string | null
  invoice: string | null
  url: string | null
  metadata: Record<string, string>
}

/** What the session will make, kept until it is paid. */
export type SessionPlan = {
  price: string
  quantity: number
  metadata: Record<string, string>
  description: string | null
  feePercent: number | null
  transferData: { destination: string; amount_percent: number | null } | null
}
