import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { SUGGESTIONS_MAX_COUNT } from '@tradepost/contract/limits'
import type { TraderSuggestions } from '@tradepost/contract/traders'
import { webPaths } from '@tradepost/contract/web-paths'
import { type ReactNode, useEffect, useId, useState } from 'react'
import { Link } from '../../lib/router.tsx'
import { Gain } from '../../ui/gain.tsx'
import { Monogram } from '../../ui/monogram.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { TraderPrice } from './trader-price.tsx'
import { leaderboardQuery, suggestionsQuery } from './traders.api.ts'

/** While somebody types on, nothing is asked. */
const PAUSE_MS = 250

/** Traders to choose from, also before anything is typed: the best of the leaderboard (rule G-35). */
export function BestTraders() {
  const { data, isError } = useQuery(leaderboardQuery)
  if (isError && data === undefined) return null
  if (data === undefined) return <SuggestionsSkeleton />
  const traders = data.leaderboard.slice(0, SUGGESTIONS_MAX_COUNT)
  return traders.length > 0 && <Suggestions title="Top of the leaderboard" traders={traders} />
}

type TradersLikeProps = {
  typed: string
  /** That there are none, by what was typed. */
  whenNone: (text: string) => ReactNode
}

/**
 * Traders whose name begins with what is typed, or is one letter away from it (rule G-35). Where there are none, the best stay offered,
 * below on a screen that is too narrow for them beside.
 */
export function TradersLike({ typed, whenNone }: TradersLikeProps) {
  const text = usePause(typed.toLowerCase())
  const { data } = useQuery({ ...suggestionsQuery(text), placeholderData: keepPreviousData })
  if (data === undefined) return null
  const { match, traders } = data
  return (
    <>
      <div role="status" className="empty:hidden">
        {traders.length === 0 && whenNone(text)}
      </div>
      {traders.length === 0 && (
        <div className="xl:hidden">
          <BestTraders />
        </div>
      )}
      {traders.length > 0 && (
        <Suggestions
          title={match === 'near' ? 'Did you mean' : `Names that begin with “${text}”`}
          traders={traders}
        />
      )}
    </>
  )
}

/** The last text before a pause. */
function usePause(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

type SuggestionsProps = { title: string; traders: TraderSuggestions['traders'] }

function Suggestions({ title, traders }: SuggestionsProps) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="space-y-2">
      <h2 id={id} aria-live="polite" className="text-sm font-medium text-muted-foreground">
        {title}
      </h2>
      <ul className="divide-y divide-border rounded-xl border border-border">
        {traders.map(({ username, averageGain, ...price }) => (
          <li key={username} className="group">
            <Link
              to={webPaths.trader(username)}
              className="flex min-h-12 items-center gap-3 px-3 py-1 outline-none group-first:rounded-t-xl group-last:rounded-b-xl hover:bg-accent focus-visible:ring-2 focus-visible:ring-ring"
            >
              <Monogram name={username} />
              <span className="min-w-0">
                <span translate="no" className="block font-medium wrap-anywhere">
                  {username}
                </span>
                <span className="flex flex-wrap gap-x-1 text-[0.8125rem] leading-4.5 text-muted-foreground">
                  <TraderPrice trader={price} />
                </span>
              </span>
              <Gain value={averageGain} className="ml-auto" />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

const SKELETON_ROWS = ['a', 'b', 'c', 'd', 'e', 'f']

/** The list on its way, in its final shape. */
function SuggestionsSkeleton() {
  return (
    <div role="status" aria-label="Loading traders" aria-busy="true" className="space-y-2">
      <Skeleton className="h-[1.375rem] w-40" />
      <div className="divide-y divide-border rounded-xl border border-border">
        {SKELETON_ROWS.map((row) => (
          <div key={row} className="flex h-12 items-center gap-3 px-3">
            <Skeleton className="size-7 rounded-full" />
            <Skeleton className="h-4 w-32" />
            <Skeleton className="ml-auto h-4 w-16" />
          </div>
        ))}
      </div>
    </div>
  )
}
