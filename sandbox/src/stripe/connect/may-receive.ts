import type { Account } from '../model/connect.ts'

/** Whether transfers to this account arrive. */
export function mayReceive({ closed, configuration: { recipient } }: Account): boolean {
  return !closed && recipient?.capabilities.stripe_balance.stripe_transfers.status === 'active'
}
