import { useQuery } from '@tanstack/react-query'
import { refusalMessage } from '@tradepost/contract/errors'
import { SEARCH_MIN_LENGTH } from '@tradepost/contract/limits'
import { Search } from 'lucide-react'
import { type FormEvent, useId, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Input } from '../../ui/input.tsx'
import { SearchResult, SearchResultSkeleton } from './search-result.tsx'
import { searchQuery } from './traders.api.ts'

type TraderSearchProps = {
  /** The name searched for, empty before the first search. */
  searched: string
  onSearch: (query: string) => void
}

/** Finds one trader by exact name (docs/specification.md section 2, decision G-35). */
export function TraderSearch({ searched, onSearch }: TraderSearchProps) {
  const [query, setQuery] = useState(searched)
  const id = useId()
  const enabled = searched.length >= SEARCH_MIN_LENGTH
  const search = useQuery({ ...searchQuery(searched), enabled })
  const ready = query.trim().length >= SEARCH_MIN_LENGTH

  function submit(event: FormEvent): void {
    event.preventDefault()
    if (!ready) return
    if (query.trim() === searched) void search.refetch()
    else onSearch(query.trim())
  }

  return (
    <div className="space-y-6">
      <search>
        <form onSubmit={submit} noValidate className="flex gap-2">
          <label htmlFor={id} className="sr-only">
            Username
          </label>
          <Input
            id={id}
            type="search"
            value={query}
            placeholder="Search by username"
            autoComplete="off"
            autoCapitalize="none"
            autoCorrect="off"
            spellCheck={false}
            enterKeyHint="search"
            aria-describedby={`${id}-answer`}
            onChange={(event) => setQuery(event.currentTarget.value)}
          />
          <Button type="submit" disabled={!ready} loading={search.isFetching}>
            Search
          </Button>
        </form>
      </search>
      <div id={`${id}-answer`} aria-live="polite" aria-busy={search.isFetching}>
        {!enabled && <Hint>Search for a username in the field above.</Hint>}
        {enabled && search.isFetching && <SearchResultSkeleton />}
        {enabled && !search.isFetching && search.isError && <Hint>{refusalMessage('user_not_found')}</Hint>}
        {enabled && !search.isFetching && search.isSuccess && <SearchResult found={search.data} />}
      </div>
    </div>
  )
}

function Hint({ children }: { children: string }) {
  return (
    <p className="flex flex-col items-center gap-3 rounded-xl border border-dashed border-border px-6 py-14 text-center text-muted-foreground">
      <Search aria-hidden="true" className="size-6" />
      <span>{children}</span>
    </p>
  )
}
