import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import type { OwnDiscountCode, TypedDiscountCode } from '@tradepost/contract/discount-code'
import { discountEndpoints } from '@tradepost/contract/discount-endpoints'
import { PAYOUT_STATUS_FRESH_MS } from '@tradepost/contract/limits'
import { call } from '../../lib/api.ts'
import { ApiRefusal } from '../../lib/api-refusal.ts'
import { makeStale, triedOnce } from '../../lib/query-client.ts'
import { forgetDraft } from '../../lib/use-draft.ts'

/** The viewer's live codes, for a trader; one try. */
export const discountCodesQuery = queryOptions({
  queryKey: ['discount-codes'],
  queryFn: ({ signal }) => call(discountEndpoints.discountCodes, undefined, signal),
  ...triedOnce(PAYOUT_STATUS_FRESH_MS),
})

/** The beginning of the keys of all codes that were looked at. */
export const DISCOUNT = ['discount'] as const

/** The price with a code of a trader; one try, since a code that is not valid stays so. */
export function discountQuery(username: string, code: string) {
  return queryOptions({
    queryKey: [...DISCOUNT, username.toLowerCase(), code],
    queryFn: ({ signal }) => call(discountEndpoints.discount, { username, code }, signal),
    ...triedOnce(PAYOUT_STATUS_FRESH_MS),
  })
}

/** Whether an answer says that a code is not valid, and not that it could not be looked at. */
export function isNoCode(error: unknown): boolean {
  return error instanceof ApiRefusal && error.code === 'discount_code_not_found'
}

export const DISCOUNT_CODE_DRAFT = 'discount-code'

/** Adds or ends a code; the answer is the list of then. */
export function useChangeCodes() {
  const client = useQueryClient()
  const onSuccess = async (codes: { codes: OwnDiscountCode[] }) => {
    await client.cancelQueries({ queryKey: discountCodesQuery.queryKey })
    client.setQueryData(discountCodesQuery.queryKey, codes)
  }
  // Whether it was done before the answer got lost, or elsewhere, only the server knows.
  const onError = () => makeStale(client, discountCodesQuery.queryKey)
  const add = useMutation({
    mutationFn: (typed: TypedDiscountCode & { currency: string }) =>
      call(discountEndpoints.addDiscountCode, typed),
    onSuccess: (codes, { code }) => {
      forgetDraft<{ code: string }>(DISCOUNT_CODE_DRAFT, (draft) => draft.code === code)
      return onSuccess(codes)
    },
    onError,
  })
  const end = useMutation({
    mutationFn: (id: string) => call(discountEndpoints.endDiscountCode, { id }),
    onSuccess,
    onError,
  })
  return { add, end }
}
