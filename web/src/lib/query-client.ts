import { notifyManager, onlineManager, type Query, QueryClient, type QueryKey } from '@tanstack/react-query'
import { ApiRefusal, endsSession } from './api-refusal.ts'

// The library's default, a task, would come after the second click of a double click: a form would be sent twice.
notifyManager.setScheduler(queueMicrotask)

/** The library's own default, written down because the function below replaces it (docs/specification.md section 9). */
const RETRIES = 3

/**
 * The cache of what the API answered. Back-off up to 30 s and 5 minutes of garbage time are the library's defaults;
 * freshness stands with each query. Offline counts as a failure, so that a screen shows it instead of waiting.
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

// A failure from before the network came back has no meaning now, also on screens that are not shown.
onlineManager.subscribe((online) => {
  if (!online) return
  for (const query of queryClient
    .getQueryCache()
    .findAll({ predicate: ({ state }) => state.status === 'error' }))
    query.setState({ errorUpdatedAt: 0 })
})

/** The state that decides whether a query that failed may be asked again. */
type Asked = { state: { status: string; error: Error | null; errorUpdatedAt: number } }

/**
 * Options of a query that is tried once (docs/specification.md section 9): a failure is not retried, and holds for as long as
 * an answer would, so that the next screen does not ask again (rule G-18). The person still can, and so do a network
 * that is back and `makeStale`. A 404 is not kept: a search may just have found the trader.
 * @param freshMs how long an answer, or the failure, is good for
 */
export function triedOnce(freshMs: number) {
  function mayAskOnMount({ state }: Asked): boolean {
    if (state.status !== 'error') return true
    if (state.error instanceof ApiRefusal && state.error.status === 404) return true
    return Date.now() - state.errorUpdatedAt >= freshMs
  }
  return {
    staleTime: freshMs,
    retry: false,
    retryOnMount: mayAskOnMount,
    refetchOnMount: mayAskOnMount,
  } as const
}

/**
 * Makes queries under a key stale at once, failed ones too: visible ones are fetched now, others when shown. An answer that somebody waits for
 * arrives first.
 */
export async function makeStale(client: QueryClient, queryKey: QueryKey = []): Promise<void> {
  const queries = client.getQueryCache().findAll({ queryKey })
  await Promise.all(
    queries.map(async (query) => {
      if (query.state.status === 'error') query.setState({ errorUpdatedAt: 0 })
      if (isAwaited(query)) await query.promise?.catch(() => undefined)
      await client.invalidateQueries({ queryKey: query.queryKey, exact: true })
    }),
  )
}

/** Whether somebody waits for an answer that is on its way: the first one, or one more page of a list. */
export function isAwaited({ state }: Query): boolean {
  return (
    state.fetchStatus === 'fetching' && (state.data === undefined || state.fetchMeta?.fetchMore !== undefined)
  )
}
