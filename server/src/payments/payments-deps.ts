import type Stripe from 'stripe'
import type { Queryable } from '../platform/database.ts'
import type { Log } from '../platform/log.ts'
import type { Settings } from '../platform/settings.ts'

/** What the use cases of payments work with; `stripe` is as patient as the one who waits (a person, or a job). */
export type PaymentsDeps = { db: Queryable; stripe: Stripe; settings: Settings; log: Log }
