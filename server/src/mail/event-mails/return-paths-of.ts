import { makeSecretKey } from '../../auth/keys/secret-key.ts'
import { makeReturnPaths, type ReturnPaths } from '../../platform/return-path.ts'
import type { Settings } from '../../platform/settings.ts'

/** The envelope senders of this deployment; null where BOUNCE_ADDRESS is not set. Addresses that earlier secrets of the list signed are still read. */
export function returnPathsOf({
  authSecret,
  reports,
}: Pick<Settings, 'authSecret' | 'reports'>): ReturnPaths | null {
  if (reports.address === null) return null
  const keys = makeSecretKey(authSecret).all.map((secret) => secret.derive('return-paths'))
  return makeReturnPaths(reports.address, keys)
}
