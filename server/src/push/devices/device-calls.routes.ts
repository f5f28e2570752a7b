import { pushOff, pushRenewal } from '@tradepost/contract/push'
import { PUSH_OFF_PATH, PUSH_RENEW_PATH } from '@tradepost/contract/push-worker'
import type { FastifyInstance } from 'fastify'
import type * as z from 'zod/mini'
import type { Queryable } from '../../platform/database/queryable.ts'
import { refusal } from '../../platform/http/refusal.ts'
import type { Settings } from '../../platform/settings.ts'
import { renewPush, turnOffByToken } from './renew-push.ts'

/** A subscription and a token. */
const BODY_MAX_BYTES = 4096

/**
 * Registers the calls of a device's service worker, which need no sign-in but the device's token (ADR 0063). A token of no
 * device is answered like any other: the device is off either way, and a stranger learns nothing.
 */
export function deviceCallsRoutes(
  app: FastifyInstance,
  { db, settings }: { db: Queryable; settings: Settings },
): void {
  const deps = { db, loopback: settings.pushLoopback }
  app.post(PUSH_OFF_PATH, { bodyLimit: BODY_MAX_BYTES }, async (request) => {
    await turnOffByToken(deps, read(pushOff, request.body).token)
    return { ok: true }
  })
  app.post(PUSH_RENEW_PATH, { bodyLimit: BODY_MAX_BYTES }, async (request) => {
    const { subscription, token } = read(pushRenewal, request.body)
    await renewPush(deps, token, subscription)
    return { ok: true }
  })
}

function read<Schema extends z.ZodMiniType>(schema: Schema, body: unknown): z.output<Schema> {
  const parsed = schema.safeParse(body)
  if (!parsed.success) throw refusal('bad_request')
  return parsed.data
}
