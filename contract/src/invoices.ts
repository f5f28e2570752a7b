import * as z from 'zod/mini'
import { limited } from './limited.ts'

/** So many of the newest payments are listed; older ones are in the billing portal. */
export const PAYMENTS_LISTED = 50

/** Longer than any id that Stripe gives. */
const ID_MAX_LENGTH = 255

/** A payment of the caller's for following a trader; amounts in the smallest unit of `currency`. */
const paidInvoice = z.object({
  /** Of its invoice, as Stripe calls it. */
  id: z.string(),
  /** A username; empty for a trader who has left. */
  trader: z.string(),
  /** ISO 8601 UTC. */
  paidAt: z.string(),
  amountCents: z.int(),
  /** The tax within it (rule G-131). */
  taxCents: z.int(),
  /** That came back of it by now. */
  refundedCents: z.int(),
  currency: z.string(),
})
export type PaidInvoice = z.infer<typeof paidInvoice>

export const invoicesAnswer = z.object({
  /** The newest first. */
  invoices: z.array(paidInvoice),
  /** Whether there are older ones. */
  more: z.boolean(),
})

export const invoiceParams = z.object({
  id: limited(z.string(), { description: "An invoice's id.", maxLength: ID_MAX_LENGTH }),
})
