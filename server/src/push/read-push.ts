import type { PushAnswer } from '@tradepost/contract/push'
import { describePlace } from '../auth/audit/describe-place.ts'
import type { Queryable } from '../platform/database.ts'
import type { Caller } from '../platform/http/register-endpoints.ts'
import { listDevices, listPushedTraders } from './devices.queries.ts'
import type { PushKeys } from './push-keys.ts'

/** Where the caller has notifications, that of this session first, and about whom. */
export async function readPush(
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
