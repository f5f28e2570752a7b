import type * as z from 'zod/mini'

/** One call of the product API. */
export type Endpoint = {
  method: 'GET' | 'POST'
  /** A segment `:name` is filled from `params`. */
  path: `/v1/${string}`
  params?: z.ZodMiniType
  body?: z.ZodMiniType
  query?: z.ZodMiniType
  /** Status of success, 200 unless given. */
  status?: 201
  answer: z.ZodMiniType
  /** Set for a call that waits for Stripe: it has a longer time-out, and a rate limit for such calls counts it. */
  asksProvider?: true
  /** Set for a call that is answered by server-sent events until one side ends them: the data of each is an `answer`. */
  streams?: true
}
