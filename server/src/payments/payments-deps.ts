import type { Queryable } from '../platform/database.ts'
import type { Log } from '../platform/log.ts'
import type { StripeDeps } from '../stripe/stripe-client.ts'

/** What the use cases of payments work with. */
export type PaymentsDeps = StripeDeps & { db: Queryable; log: Log }
