import { useInfiniteQuery } from '@tanstack/react-query'
import { webPaths } from '@tradepost/contract/web-paths'
import { type ComponentProps, useEffect, useEffectEvent, useRef, useState } from 'react'
import { ApiRefusal, messageOf } from '../../lib/api-refusal.ts'
import { LastLoaded } from '../../lib/last-loaded.tsx'
import { Link } from '../../lib/router.tsx'
import { useNow } from '../../lib/use-now.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorPanel } from '../../ui/error-panel.tsx'
import { NextPage } from '../../ui/next-page.tsx'
import { RefreshFailure } from '../../ui/refresh-failure.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { activityQuery, useMarkRead } from './activity.api.ts'
import { byDay, nextDay } from './activity-days.ts'
import { ActivityEntry, elementId } from './activity-item.tsx'

const wayOn = 'text-sm font-medium text-primary underline-offset-4 hover:underline'

/** The list in its states. @param item what a mail led to; null for the newest */
export function ActivityList({ item }: { item: string | null }) {
  const list = useInfiniteQuery(activityQuery(item))
  const { data, error, isError } = list
  const pages = data?.pages ?? []
  const items = pages.flatMap((page) => page.items)
  const first = pages[0]
  // A page of old items leaves newer items unseen: they were not shown.
  useSeen(first && !first.newer ? first.seen : null)
  const stillNew = useStillNew(items)
  const now = useNow(nextDay)
  useArrivalAtItem(item === null ? null : elementId(item), data !== undefined)
  if (data === undefined) {
    if (!isError) return <ActivitySkeleton />
    if (error instanceof ApiRefusal && error.code === 'activity_not_found') return <NotThere />
    return <ErrorPanel message={messageOf(error)} onRetry={() => void list.refetch()} />
  }
  const failure = list.isRefetchError && (
    <RefreshFailure message={messageOf(error)} onRetry={() => void list.refetch()}>
      <LastLoaded at={list.dataUpdatedAt} />
    </RefreshFailure>
  )
  if (items.length === 0) {
    return (
      <>
        {failure}
        <Nothing />
      </>
    )
  }
  return (
    <div className="space-y-6">
      {failure}
      {first?.newer && (
        <Link to={webPaths.activity} className={wayOn}>
          Newer activity
        </Link>
      )}
      <p role="status" className="sr-only">{`${items.length} shown`}</p>
      {byDay(items, now).map(({ key, label, items: ofDay }) => (
        <section key={key} aria-labelledby={`day-${key}`} className="space-y-3 outline-none">
          <h2 id={`day-${key}`} className="text-sm font-semibold text-muted-foreground">
            {label}
          </h2>
          {ofDay.map((one) => (
            <ActivityEntry
              key={one.id}
              item={one}
              isNew={stillNew.has(one.id)}
              marked={isSame(one.id, item)}
            />
          ))}
        </section>
      ))}
      <End list={list} count={items.length} nextId={(at) => items[at]?.id} />
    </div>
  )
}

/** However the name is spelled in the address (rule G-20). */
function isSame(id: string, item: string | null): boolean {
  return id.toLowerCase() === item?.toLowerCase()
}

type EndProps = {
  list: ComponentProps<typeof NextPage>['list'] & { error: Error | null }
  count: number
  nextId: (at: number) => string | undefined
}

/** The way to older items, or that there are none. The focus goes to the first of what has come. */
function End({ list, count, nextId }: EndProps) {
  const asked = useRef<number | null>(null)
  useEffect(() => {
    if (asked.current === null || count <= asked.current) return
    const id = nextId(asked.current)
    asked.current = null
    if (id !== undefined) document.getElementById(elementId(id))?.focus()
  }, [count, nextId])
  const remember = () => {
    asked.current = count
  }
  return list.hasNextPage ? (
    <NextPage list={list} failure={messageOf(list.error)} onAsk={remember} />
  ) : (
    <p className="text-center text-sm text-muted-foreground">That is all.</p>
  )
}

function Nothing() {
  return (
    <EmptyState
      title="Nothing has happened yet."
      action={
        <Link to={webPaths.leaderboard} className={wayOn}>
          Find a trader to follow
        </Link>
      }
    >
      What you and the traders you follow open and close appears here, from the day you follow them.
    </EmptyState>
  )
}

function NotThere() {
  return (
    <div role="status">
      <EmptyState
        title="That is not in your activity."
        action={
          <Link to={webPaths.activity} className={wayOn}>
            See all activity
          </Link>
        }
      >
        It was published while you did not follow its trader, or the address is wrong. It may have been mailed
        to another address of yours: then sign in with that one.
      </EmptyState>
    </div>
  )
}

/** A day with some items while they load. */
function ActivitySkeleton() {
  return (
    <div role="status" aria-label="Loading your activity" aria-busy="true" className="space-y-3">
      <Skeleton className="h-5 w-24" />
      <Skeleton className="h-40 rounded-xl" />
      <Skeleton className="h-40 rounded-xl" />
      <Skeleton className="h-40 rounded-xl" />
    </div>
  )
}

/** Leads eye and focus to an item when the list is there, once for each item. @param id of its element; null for none */
function useArrivalAtItem(id: string | null, ready: boolean): void {
  useEffect(() => {
    if (!ready || id === null) return
    // The name in the address may be spelled in another case than the trader's.
    const items = [...document.querySelectorAll<HTMLElement>('article[id]')]
    const item = items.find((one) => one.id.toLowerCase() === id.toLowerCase())
    item?.focus({ preventScroll: true })
    item?.scrollIntoView({ block: 'center', behavior: 'instant' })
  }, [id, ready])
}

/**
 * Marks as read what is shown, once somebody can see it: a page in a tab behind others has been read by nobody.
 * @param seen as the page was answered with; null when nothing is unread
 */
function useSeen(seen: string | null): void {
  const { mutate } = useMarkRead()
  const mark = useEffectEvent((shown: string) => mutate(shown))
  useEffect(() => {
    if (seen === null) return
    function look(): void {
      if (document.visibilityState !== 'visible' || seen === null) return
      document.removeEventListener('visibilitychange', look)
      mark(seen)
    }
    document.addEventListener('visibilitychange', look)
    look()
    return () => document.removeEventListener('visibilitychange', look)
  }, [seen])
}

/**
 * The items of a list that were answered as unread since the list is shown. An item is marked as read as soon as it is seen, and the list
 * is asked again after an event: an item that somebody sees as new stays new until they leave.
 */
function useStillNew(items: readonly { id: string; unread: boolean }[]): ReadonlySet<string> {
  const [known, setKnown] = useState<ReadonlySet<string>>(new Set())
  const more = items.filter(({ id, unread }) => unread && !known.has(id))
  if (more.length === 0) return known
  const all = new Set([...known, ...more.map(({ id }) => id)])
  setKnown(all)
  return all
}
