import type { Tx } from '../world.ts'
import type { Params } from './check-request.ts'

/** One API call, checked and inside its transaction. */
export type Call = {
  tx: Tx
  params: Params
  /** The id in the path, where there is one. */
  id: string
  /** `Stripe-Account`: the connected account that is meant, or null for the platform. */
  onBehalfOf: string | null
  /** Path without the query, for the `url` of lists. */
  path: string
}

export type Route = {
  /** Method and path as `gate/roots.ts` lists them; `:id` stands for one segment. */
  endpoint: string
  /**
   * Parameters that the handler heeds, besides `expand`: `metadata` with all that it holds, `items.price` with nothing
   * beside it. Others that Stripe knows are refused rather than ignored, so that nobody believes in an effect that never
   * came.
   */
  reads: readonly string[]
  /** Whether it can be asked for a connected account; elsewhere `Stripe-Account` is refused. */
  forAccounts?: true
  /** Answers the object; throwing refuses and undoes, answering an ApiError refuses and keeps what was done. */
  answer(call: Call): unknown
}

/** Common parameters of v1 lists. */
export const PAGING = ['limit', 'starting_after', 'ending_before'] as const
