import { endpoints } from '@tradepost/contract/endpoints'
import type { EndpointRegistry } from '../platform/http/register-endpoints.ts'
import { previewPrice, type QuotesDeps } from './preview-price.ts'
import { searchSymbols } from './search-symbols.ts'

export function quotesRoutes(api: EndpointRegistry, deps: QuotesDeps): void {
  api.serve(endpoints.symbols, ({ caller, query, now }) => searchSymbols(deps, caller, query.query, now))
  api.serve(endpoints.preview, ({ caller, body, now }) => previewPrice(deps, caller, body.symbol, now))
}
