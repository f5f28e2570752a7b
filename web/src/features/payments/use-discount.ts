import { useQuery } from '@tanstack/react-query'
import type { DiscountAnswer } from '@tradepost/contract/discount-code'
import { useState } from 'react'
import { messageOf } from '../../lib/api-refusal.ts'
import { useSearchParams } from '../../lib/router.tsx'
import { discountQuery, isNoCode } from './discount-codes.api.ts'

/**
 * A code that came with the address.
 * @property failure why it takes nothing off, in words; null where it does, or is looked at
 * @property onRetry looks again; null where there is an answer
 */
export type AskedDiscount = {
  code: string
  found: DiscountAnswer | undefined
  failure: string | null
  isPending: boolean
  onRetry: (() => void) | null
}

/**
 * The code in the address of the subscribe page, which stays there, so that a reload and a way back keep it; null without one. Its parameter
 * is not `code`, which is the sign-in's.
 */
export function useDiscount(username: string): AskedDiscount | null {
  const [parameters] = useSearchParams()
  const [code] = useState(() => parameters.get('discount') ?? '')
  const { data, error, isError, isFetching, refetch } = useQuery({
    ...discountQuery(username, code),
    enabled: code !== '',
  })
  if (code === '') return null
  const onRetry = isError && !isNoCode(error) ? () => void refetch() : null
  return {
    code,
    found: data,
    failure: isError ? messageOf(error) : null,
    isPending: isFetching && !data,
    onRetry,
  }
}
