import { useQuery } from '@tanstack/react-query'
import { refusalMessage } from '@tradepost/contract/errors'
import { SEARCH_MIN_LENGTH } from '@tradepost/contract/limits'
import { readUsername } from '@tradepost/contract/typed-name'
import { Search } from 'lucide-react'
import { type FormEvent, useId, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { DisabledReason } from '../../ui/disabled-reason.tsx'
import { Input } from '../../ui/input.tsx'
import { WithAside } from '../../ui/with-aside.tsx'
import { SearchResult, SearchResultSkeleton } from './search-result.tsx'
import { BestTraders, TradersLike } from './suggested-traders.tsx'
import { searchQuery } from './traders.api.ts'

type TraderSearchProps = {
  /** The name searched for, empty before the first search. */
  searched: string
  onSearch: (query: string) => void
}

/**
 * Finds one trader by exact name (docs/specification.md section 2), and offers traders to those who do not know it (rule
 * G-35).
 */
export function TraderSearch({ searched, onSearch }: TraderSearchProps) {
  const [query, setQuery] = useState(searched)
  const id = useId()
  const typed = readUsername(query)
  const enabled = !isTooShort(searched)
  const search = useQuery({ ...searchQuery(searched), enabled })
  /** Whether what is typed has been found, or is being looked for. */
  const answered = typed === searched && (search.isFetching || search.isSuccess)
  /** Nobody has this name. An answer about another name than what is typed is gone. */
  const unknown = enabled && typed === searched && !search.isFetching && search.isError
  /** A person who has typed another name meanwhile can look for that at once. */
  const loading = search.isFetching && typed === searched

  function submit(event: FormEvent): void {
    event.preventDefault()
    if (isTooShort(query)) return
    setQuery(typed)
    if (typed === searched) void search.refetch()
    else onSearch(typed)
  }

  return (
    <WithAside label="Offered traders" besideOnly={typed !== ''} aside={<BestTraders />}>
      <div className="space-y-6">
        <SearchForm id={id} query={query} onChange={setQuery} onSubmit={submit} loading={loading} />
        <div id={`${id}-answer`} className="empty:my-0" aria-live="polite" aria-busy={search.isFetching}>
          {!enabled && typed === '' && <Hint>Search for a username in the field above.</Hint>}
          {enabled && search.isFetching && <SearchResultSkeleton />}
          {unknown && <Hint>{refusalMessage('user_not_found')}</Hint>}
          {enabled && !search.isFetching && search.isSuccess && <SearchResult found={search.data} />}
        </div>
        {typed !== '' && !answered && (
          <TradersLike
            typed={typed}
            whenNone={(text) => !unknown && <Hint>{`No trader’s name begins with “${text}”.`}</Hint>}
          />
        )}
      </div>
    </WithAside>
  )
}

type SearchFormProps = NameFieldProps & { onSubmit: (event: FormEvent) => void; loading: boolean }

function SearchForm({ onSubmit, loading, ...field }: SearchFormProps) {
  const reasonId = `${field.id}-reason`
  const tooShort = isTooShort(field.query)
  return (
    <search>
      <form onSubmit={onSubmit} noValidate className="flex gap-2">
        <NameField {...field} />
        <Button type="submit" disabled={tooShort} aria-describedby={reasonId} loading={loading}>
          Search
        </Button>
      </form>
      <DisabledReason
        id={reasonId}
        reason={tooShort ? `Type at least ${SEARCH_MIN_LENGTH} letters to search.` : null}
        className="mt-2"
      />
    </search>
  )
}

function isTooShort(query: string): boolean {
  return readUsername(query).length < SEARCH_MIN_LENGTH
}

/** The cross of the browser in the colour of the text beside it: Chromium draws a blue one. */
const CLEAR =
  '[&::-webkit-search-cancel-button]:size-3.5 [&::-webkit-search-cancel-button]:cursor-pointer [&::-webkit-search-cancel-button]:appearance-none [&::-webkit-search-cancel-button]:text-muted-foreground [&::-webkit-search-cancel-button]:bg-[linear-gradient(45deg,transparent_46%,currentColor_46%_54%,transparent_54%),linear-gradient(-45deg,transparent_46%,currentColor_46%_54%,transparent_54%)]'

type NameFieldProps = { id: string; query: string; onChange: (value: string) => void }

/** The answer stands in the element `{id}-answer`. */
function NameField({ id, query, onChange }: NameFieldProps) {
  return (
    <>
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
        className={CLEAR}
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
