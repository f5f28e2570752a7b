import { type ApiError, invalid, missing } from '../refusals/errors.ts'
import type { Tx } from '../world/world.ts'
import { mayReceive } from './may-receive.ts'

const CANNOT_RECEIVE =
  'Your destination account needs to have at least one of the following capabilities enabled: transfers, crypto_transfers, legacy_payments'

/** The refusal for an account whose transfers are not active. It names no parameter. */
export function cannotReceive(): ApiError {
  return invalid(CANNOT_RECEIVE, null, 'insufficient_capabilities_for_transfer')
}

/**
 * Checks that money can go to the connected account that a request names.
 * @throws ApiError resource_missing for one that never was or is closed, insufficient_capabilities_for_transfer for
 * one whose transfers are not active, be it rejected, restricted or not onboarded yet
 */
export function checkDestination(tx: Tx, destination: string, param: string): void {
  const account = tx.objects.find('v2.core.account', destination)
  if (account === null || account.closed) throw missing('destination', destination, param)
  if (!mayReceive(account)) throw cannotReceive()
}
