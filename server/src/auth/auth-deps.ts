import type { Clock } from '../platform/clock.ts'
import type { Settings } from '../platform/settings.ts'
import type { BearerDeps } from './authenticate.ts'
import { makeSecretKey, type SecretKey } from './secret-key.ts'
import { makeSigningKeys } from './signing-keys.ts'

/** What sign-in is made of; one a process, since it keeps the opened signing keys. */
export type AuthDeps = BearerDeps & { clock: Clock; settings: Settings; secret: SecretKey }

export function makeAuthDeps(
  deps: Pick<BearerDeps, 'db' | 'pipelined'> & { clock: Clock; settings: Settings },
): AuthDeps {
  const secret = makeSecretKey(deps.settings.authSecret)
  return {
    ...deps,
    origin: deps.settings.origin,
    secret,
    signingKeys: makeSigningKeys({ db: deps.db, secret }),
  }
}
