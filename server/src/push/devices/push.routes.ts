import { endpoints } from '@tradepost/contract/endpoints'
import type { PushAnswer } from '@tradepost/contract/push'
import * as z from 'zod'
import { describePlace } from '../../auth/audit/describe-place.ts'
import { makeSecretKey } from '../../auth/keys/secret-key.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import { refusal } from '../../platform/http/refusal.ts'
import type { Caller, EndpointRegistry } from '../../platform/http/register-endpoints.ts'
import type { Settings } from '../../platform/settings.ts'
import { deleteDevice, listDevices, listPushedTraders, switchPush } from './devices.queries.ts'
import { makePushKeys, type PushKeys } from './push-keys.ts'
import { turnOnPush } from './turn-on-push.ts'

const uuid = z.uuid()

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

/** Where the caller has notifications, that of this session first, and about whom. */
async function readPush(
  deps: { db: Queryable; keys: PushKeys },
  { sessionId, userId }: Caller,
  now: Date,
): Promise<PushAnswer> {
  const [key, rows, traders] = await Promise.all([
    deps.keys.given(now),
    listDevices(deps.db, { userId }),
    listPushedTraders(deps.db, { userId }),
  ])
  const devices = rows.map((row) => ({
    id: row.id,
    current: row.session_id === sessionId,
    device: describePlace({ ip: null, userAgent: row.user_agent }).device,
    since: row.created_at.toISOString(),
    failingSince: row.failing_since?.toISOString() ?? null,
  }))
  return {
    publicKey: key.publicKey,
    devices: devices.toSorted((a, b) => Number(b.current) - Number(a.current)),
    traders: traders.map(({ id, mutedAt, username }) => ({ id, username, pushEnabled: mutedAt === null })),
  }
}

/**
 * Turns the notifications about a trader's positions on or off, on all devices of the caller; mails have a switch of their own.
 * @returns whether it is on
 * @throws `subscription_not_found`
 */
async function switchSubscriptionPush(
  db: Queryable,
  caller: { userId: string },
  id: string,
  enabled: boolean,
  now: Date,
): Promise<boolean> {
  const known =
    uuid.safeParse(id).success && (await switchPush(db, { subscriberId: caller.userId, id, enabled }, now))
  if (!known) throw refusal('subscription_not_found')
  return enabled
}
