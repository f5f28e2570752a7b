import { endpoints } from '@tradepost/contract/endpoints'
import type { ApiDoor } from '../platform/http/api-door.ts'
import { previewPrice, type QuotesDeps } from './preview-price.ts'

export function quotesRoutes(door: ApiDoor, deps: QuotesDeps): void {
  door.serve(endpoints.preview, ({ caller, body, now }) => previewPrice(deps, caller, body.symbol, now))
}
