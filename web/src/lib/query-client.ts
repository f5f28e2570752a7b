import { QueryClient } from '@tanstack/react-query'
import { endsSession } from './api-refusal.ts'

/** The library's own default, written down because the function below replaces it (product.md section 9). */
const RETRIES = 3

/**
 * The cache of what the API answered. Back-off up to 30 s and 5 minutes of garbage time are the library's defaults;
 * freshness stands with each query. Offline counts as a failure, so that a screen says so instead of waiting.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (failures, error) => failures < RETRIES && !endsSession(error),
      networkMode: 'always',
      refetchOnReconnect: true,
    },
    mutations: { networkMode: 'always' },
  },
})
