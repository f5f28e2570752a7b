import type { Clock } from '../../platform/clock.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import { makeSharedFlush, type SharedFlush } from '../../platform/distribution/shared-flush.ts'
import type { Settings } from '../../platform/settings.ts'
import type { TokenDeps } from './access-tokens.ts'
import { makeSecretKey, type SecretKey } from './secret-key.ts'
import { makeSigningKeys } from './signing-keys.ts'

/** Dependencies of reading a request's token. */
export type BearerDeps = TokenDeps & { db: Queryable; pipelined: Queryable }

/** The dependencies of the functions of sign-in. Made once a process, since they cache the decrypted signing keys. */
export type AuthDeps = BearerDeps & {
  clock: Clock
  settings: Settings
  secret: SecretKey
  /** For requests that take a place among the mails of all. */
  sharedFlush: SharedFlush
}

export function makeAuthDeps(
  deps: Pick<BearerDeps, 'db' | 'pipelined'> & { clock: Clock; settings: Settings },
): AuthDeps {
  const secret = makeSecretKey(deps.settings.authSecret)
  return {
    ...deps,
    origin: deps.settings.origin,
    secret,
    sharedFlush: makeSharedFlush(deps.db),
    signingKeys: makeSigningKeys({ db: deps.db, secret }),
  }
}
