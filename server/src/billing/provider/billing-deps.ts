import type { Queryable } from '../../platform/database/queryable.ts'
import type { Log } from '../../platform/log.ts'
import type { StripeDeps } from '../../stripe/stripe-client.ts'

/** Dependencies of the use cases of billing. */
export type BillingDeps = StripeDeps & { db: Queryable; log: Log }

/** An answer of Stripe (`null` included), or a missing answer: the two lead to different decisions about money. */
export type Read<T> = { kind: 'read'; value: T } | { kind: 'unread' }
