import type { Stored } from '../store/objects.ts'

export type CapabilityStatus = 'active' | 'pending' | 'rejected' | 'restricted' | 'unsupported'

export type StatusDetail = { code: string; resolution: string }

export type Account = Stored & {
  applied_configurations: string[]
  closed: boolean
  contact_email?: string
  display_name?: string
  dashboard?: string
  metadata: Record<string, string>
  defaults: Record<string, unknown>
  identity: Record<string, unknown>
  configuration: {
    recipient?: {
      applied: boolean
      capabilities: {
        stripe_balance: { stripe_transfers: { status: CapabilityStatus; status_details: StatusDetail[] } }
      }
    }
  }
  requirements: { entries: Record<string, unknown>[]; summary?: Record<string, unknown> }
}

/** Whether transfers to this account arrive. */
export function mayReceive(account: Stored): boolean {
  const { recipient } = (account as Account).configuration
  return (
    account.closed !== true && recipient?.capabilities.stripe_balance.stripe_transfers.status === 'active'
  )
}
