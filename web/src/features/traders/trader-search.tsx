import { useQuery } from '@tanstack/react-query'
import { refusalMessage } from '@tradepost/contract/errors'
import { SEARCH_MIN_LENGTH } from '@tradepost/contract/limits'
import { Search } from 'lucide-react'
import { type FormEvent, useId, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { DisabledReason } from '../../ui/disabled-reason.tsx'
import { Input } from '../../ui/input.tsx'
import { SearchResult, SearchResultSkeleton } from './search-result.tsx'
import { TradersLike } from './suggested-traders.tsx'
import { searchQuery } from './traders.api.ts'

type TraderSearchProps = {
  /** The name searched for, empty before the first search. */
  searched: string
  onSearch: (query: string) => void
}

/**
 * Finds one trader by exact name (docs/specification.md section 2), and offers traders to those who do not know it (decision
 * G-35).
 */
export function TraderSearch({ searched, onSearch }: TraderSearchProps) {
  const [query, setQuery] = useState(searched)
  const id = useId()
  const typed = query.trim()
  const tooShort = typed.length < SEARCH_MIN_LENGTH
  const enabled = searched.length >= SEARCH_MIN_LENGTH
  const search = useQuery({ ...searchQuery(searched), enabled })
  /** Whether what is typed has been found, or is being looked for. */
  const answered = typed === searched && (search.isFetching || search.isSuccess)

  function submit(event: FormEvent): void {
    event.preventDefault()
    if (tooShort) return
    if (typed === searched) void search.refetch()
    else onSearch(typed)
  }

  return (
    <div className="space-y-6">
      <search>
        <form onSubmit={submit} noValidate className="flex gap-2">
          <NameField id={id} value={query} onChange={setQuery} />
          <Button
            type="submit"
            disabled={tooShort}
            aria-describedby={`${id}-reason`}
            loading={search.isFetching}
          >
            Search
          </Button>
        </form>
        <DisabledReason
          id={`${id}-reason`}
          reason={tooShort ? `Type at least ${SEARCH_MIN_LENGTH} letters to search.` : null}
          className="mt-2"
        />
      </search>
      <div id={`${id}-answer`} aria-live="polite" aria-busy={search.isFetching}>
        {!enabled && <Hint>Search for a username in the field above.</Hint>}
        {enabled && search.isFetching && <SearchResultSkeleton />}
        {enabled && !search.isFetching && search.isError && <Hint>{refusalMessage('user_not_found')}</Hint>}
        {enabled && !search.isFetching && search.isSuccess && <SearchResult found={search.data} />}
      </div>
      {typed !== '' && !answered && <TradersLike typed={typed} />}
    </div>
  )
}

type NameFieldProps = { id: string; value: string; onChange: (value: string) => void }

/** The answer stands in the element `{id}-answer`. */
function NameField({ id, value, onChange }: NameFieldProps) {
  return (
    <>
      <label htmlFor={id} className="sr-only">
        Username
      </label>
      <Input
        id={id}
        type="search"
        value={value}
        placeholder="Search by username"
        autoComplete="off"
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
        enterKeyHint="search"
        aria-describedby={`${id}-answer`}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </>
  )
}

function Hint({ children }: { children: string }) {
  return (
    <p className="flex items-center gap-3 rounded-xl border border-dashed border-border px-4 py-5 text-muted-foreground">
      <Search aria-hidden="true" className="size-5 shrink-0" />
      <span>{children}</span>
    </p>
  )
}
