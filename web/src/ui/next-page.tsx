import { useState } from 'react'
import { Button } from './button.tsx'
import { ErrorPanel } from './error-panel.tsx'

type Pages = { data?: { pages: unknown[] } | undefined; isFetchNextPageError: boolean }

/** The part of `useInfiniteQuery`'s result that is needed. */
type PagedList = Pages & {
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage: (options: { cancelRefetch: boolean }) => Promise<Pages>
}

type NextPageProps = {
  list: PagedList
  /** The sentence to show where the page failed. */
  failure: string
  /** When somebody asks for it. */
  onAsk?: () => void
}

/** The way to the next page of a list, and where it failed the way to ask again. */
export function NextPage({ failure, list, onAsk }: NextPageProps) {
  const [isAsked, setAsked] = useState(false)
  async function ask(): Promise<void> {
    onAsk?.()
    setAsked(true)
    // The page waits for the list's own fetch. Cancelling that fetch would let stale data pass for fresh.
    const next = () => list.fetchNextPage({ cancelRefetch: false })
    const { data, isFetchNextPageError } = await next()
    const waited = (data?.pages.length ?? 0) <= (list.data?.pages.length ?? 0)
    if (waited && !isFetchNextPageError) await next()
    setAsked(false)
  }
  if (list.isFetchNextPageError) return <ErrorPanel message={failure} onRetry={ask} />
  if (!list.hasNextPage) return null
  return (
    <Button variant="outline" loading={isAsked || list.isFetchingNextPage} onClick={ask}>
      Show more
    </Button>
  )
}
