import { endpoints } from '@tradepost/contract/endpoints'
import { makeSecretKey } from '../auth/keys/secret-key.ts'
import type { Queryable } from '../platform/database.ts'
import type { EndpointRegistry } from '../platform/http/register-endpoints.ts'
import type { Settings } from '../platform/settings.ts'
import { deleteDevice } from './devices.queries.ts'
import { makePushKeys } from './push-keys.ts'
import { readPush } from './read-push.ts'
import { switchSubscriptionPush } from './switch-push.ts'
import { turnOnPush } from './turn-on-push.ts'

export function pushRoutes(
  api: EndpointRegistry,
  { db, settings }: { db: Queryable; settings: Settings },
): void {
  const secret = makeSecretKey(settings.authSecret)
  const deps = { db, secret, keys: makePushKeys({ db, secret }), loopback: settings.pushLoopback }
  api.serve(endpoints.push, ({ caller, now }) => readPush(deps, caller, now))
  api.serve(endpoints.turnOnPush, ({ body, caller, client, now }) =>
    turnOnPush(deps, caller, body, client, now),
  )
  api.serve(endpoints.turnOffPush, async ({ caller, params }) => {
    await deleteDevice(db, params.id, caller.userId)
    return { ok: true as const }
  })
  api.serve(endpoints.switchSubscriptionPush, async ({ body, caller, now, params }) => ({
    pushEnabled: await switchSubscriptionPush(db, caller, params.id, body.enabled, now),
  }))
}
