import { type Fields, fields, type ObjectOf, readAs } from '../shape/shape.ts'
import type { Tx } from '../world/world.ts'
import type { Params } from './check-request.ts'

/** One API call, checked and inside its transaction. */
export type Call<P = Params> = {
  tx: Tx
  params: P
  /** The id in the path, where there is one. */
  id: string
  /** `Stripe-Account`: the connected account that is meant, or null for the platform. */
  onBehalfOf: string | null
  /** Path without the query, for the `url` of lists. */
  path: string
}

/** A call with these parameters. */
export type CallWith<F extends Fields> = Call<ObjectOf<F>>

export type Route = {
  /** Method and path as `gate/roots.ts` lists them; `:id` stands for one segment. */
  endpoint: string
  /** The parameters that the handler heeds, besides `expand`. */
  takes: Fields
  /** Whether it can be asked for a connected account; elsewhere `Stripe-Account` is refused. */
  forAccounts: boolean
  /** Answers the object; throwing refuses and undoes, answering an ApiError refuses and keeps what was done. */
  answer(call: Call): unknown
}

/**
 * A route of the API.
 * @param takes the parameters that the handler heeds: a field with fields inside is heeded as far as those go, any other
 * with all that it holds. Others that Stripe knows are refused rather than ignored, so that nobody believes in an effect
 * that never came.
 */
export function route<F extends Fields>(
  endpoint: string,
  takes: F,
  answer: (call: CallWith<F>) => unknown,
  options: { forAccounts?: true } = {},
): Route {
  const shape = fields(takes)
  return {
    endpoint,
    takes,
    forAccounts: options.forAccounts === true,
    answer: (call) =>
      answer({ ...call, params: readAs(shape, call.params, `What ${endpoint} was asked, once checked,`) }),
  }
}
