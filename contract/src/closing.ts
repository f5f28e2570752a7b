import * as z from 'zod/mini'

/** For so long one press gives a closed account back; then its person is erased (rule G-117). */
export const CLOSING_DAYS = 14
/** So long before the end the person is mailed again. */
export const CLOSING_REMINDER_DAYS = 2
/** For so long nobody is given the name of somebody who was erased, or one that resembles it. */
export const FORMER_NAME_DAYS = 365

/** The effects of closing the account, in the numbers of now. */
export const closingAnswer = z.object({
  /** Traders whom the person pays for; these subscriptions end. */
  followed: z.number(),
  /** People who pay for the person; theirs end too. */
  followers: z.number(),
  /** Open positions, which are closed; of them those that were opened today, which are closed tomorrow (UTC). */
  openPositions: z.number(),
  openedToday: z.number(),
  /** Whether a mailed code comes first, since the mailbox was proved too long ago. */
  mailedCodeDue: z.boolean(),
})
export type ClosingPlan = z.infer<typeof closingAnswer>

/** Said in so many words, so that no empty call closes an account. */
export const closePayload = z.object({ confirm: z.literal(true) })
/** The account is closed. @property eraseAt until when it is given back, ISO 8601 in UTC */
export const closedAnswer = z.object({ eraseAt: z.string() })
