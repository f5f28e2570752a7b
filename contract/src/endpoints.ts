/**
 * Every call of the product API (docs/specification.md section 7), from the tables of their topics. The server registers its
 * routes from this table and the browser calls entries of the tables that it is made of, each loaded with the screen that needs
 * it, so path and shape cannot differ. Every call needs `Authorization: Bearer <access token>`.
 */
import { accountEndpoints } from './account-endpoints.ts'
import { activityEndpoints } from './activity-endpoints.ts'
import { closingEndpoints } from './closing-endpoints.ts'
import { dataEndpoints } from './data-endpoints.ts'
import { deskEndpoints } from './desk-endpoints.ts'
import { discountEndpoints } from './discount-endpoints.ts'
import { feedEndpoints } from './feed-endpoints.ts'
import { feedbackEndpoints } from './feedback-endpoints.ts'
import { followingEndpoints } from './following-endpoints.ts'
import { historyEndpoints } from './history-endpoints.ts'
import { invoiceEndpoints } from './invoice-endpoints.ts'
import { paymentEndpoints } from './payment-endpoints.ts'
import { positionEndpoints } from './position-endpoints.ts'
import { pushEndpoints } from './push-endpoints.ts'
import { sessionEndpoints } from './session-endpoints.ts'
import { symbolEndpoints } from './symbol-endpoints.ts'
import { tradeEndpoints } from './trade-endpoints.ts'
import { traderEndpoints } from './trader-endpoints.ts'
import { unreadEndpoints } from './unread-endpoints.ts'
import { usernameEndpoints } from './username-endpoints.ts'

export const endpoints = {
  ...accountEndpoints,
  ...usernameEndpoints,
  ...sessionEndpoints,
  ...closingEndpoints,
  ...dataEndpoints,
  ...paymentEndpoints,
  ...deskEndpoints,
  ...invoiceEndpoints,
  ...discountEndpoints,
  ...followingEndpoints,
  ...traderEndpoints,
  ...historyEndpoints,
  ...symbolEndpoints,
  ...tradeEndpoints,
  ...positionEndpoints,
  ...activityEndpoints,
  ...unreadEndpoints,
  ...feedEndpoints,
  ...feedbackEndpoints,
  ...pushEndpoints,
}
