import { createHash } from 'node:crypto'
import { endpoints } from '@tradepost/contract/endpoints'
import type { BearerSession } from '../auth/sessions/authenticate.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import type { Caller, EndpointRegistry } from '../platform/http/register-endpoints.ts'
import { findPayoutState, findReceived } from './feed.queries.ts'
import type { LiveFeed } from './live-feed.ts'

export function feedRoutes(
  api: EndpointRegistry<BearerSession>,
  { db, feed }: { db: Queryable; feed: LiveFeed },
): void {
  api.stream(endpoints.feed, ({ caller, lastEventId }) => feed.open(caller, lastEventId))
  api.serve(endpoints.feedVersion, ({ caller }) => readVersion(db, caller))
}

/** A version of everything that a feed of the caller would have sent until now; for a page that no stream reaches. */
async function readVersion(db: Queryable, { userId }: Caller): Promise<{ version: string }> {
  const [received, payouts] = await Promise.all([findReceived(db, userId, []), findPayoutState(db, userId)])
  const lines = received.map(({ changedAt, lastEventNo, since, traderId }) =>
    [traderId, lastEventNo, since, changedAt?.toISOString()].join(' '),
  )
  const hash = createHash('sha256').update([payouts, ...lines.toSorted()].join('\n'))
  return { version: hash.digest('base64url').slice(0, 22) }
}
