import type { Clock } from '../../platform/clock.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import { makeSharedFlush, type SharedFlush } from '../../platform/distribution/shared-flush.ts'
import type { Settings } from '../../platform/settings.ts'
import { makeSecretKey, type SecretKey } from './secret-key.ts'
import { makeSigningKeys, type TokenDeps } from './signing-keys.ts'

/** The dependencies of the functions of sign-in. Made once a process, since they cache the decrypted signing keys. */
export type AuthDeps = TokenDeps & {
  db: Queryable
  pipelined: Queryable
  clock: Clock
  settings: Settings
  secret: SecretKey
  /** For requests that take a place among the mails of all. */
  sharedFlush: SharedFlush
}

export function makeAuthDeps(deps: Pick<AuthDeps, 'db' | 'pipelined' | 'clock' | 'settings'>): AuthDeps {
  const secret = makeSecretKey(deps.settings.authSecret)
  return {
    ...deps,
    origin: deps.settings.origin,
    secret,
    sharedFlush: makeSharedFlush(deps.db),
    signingKeys: makeSigningKeys({ db: deps.db, secret }),
  }
}
