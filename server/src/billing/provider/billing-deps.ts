import type { Queryable } from '../../platform/database/queryable.ts'
import type { Log } from '../../platform/log.ts'
import type { StripeDeps } from '../../stripe/stripe-client.ts'

/** Dependencies of the use cases of billing. */
export type BillingDeps = StripeDeps & { db: Queryable; log: Log }
