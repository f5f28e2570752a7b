import {
  discountAnswer,
  discountCodeParams,
  discountCodePayload,
  discountParams,
  ownDiscountCodes,
} from './discount-code.ts'
import type { Endpoint } from './endpoint.ts'

/** Calls about codes that take something off a price (rule G-124). */
export const discountEndpoints = {
  discountCodes: {
    method: 'GET',
    path: '/v1/accounts/discount-codes',
    answer: ownDiscountCodes,
  },
  addDiscountCode: {
    method: 'POST',
    path: '/v1/accounts/discount-codes',
    body: discountCodePayload,
    answer: ownDiscountCodes,
  },
  endDiscountCode: {
    method: 'POST',
    path: '/v1/accounts/discount-codes/:id/end',
    params: discountCodeParams,
    answer: ownDiscountCodes,
  },
  discount: {
    method: 'GET',
    path: '/v1/traders/:username/discounts/:code',
    params: discountParams,
    answer: discountAnswer,
  },
} as const satisfies Record<string, Endpoint>
