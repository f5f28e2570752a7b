import {
  type InfiniteData,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query'
import type { ActivityAnswer, ActivityItem } from '@tradepost/contract/activity'
import { webPaths } from '@tradepost/contract/web-paths'
import { type ComponentProps, useEffect, useEffectEvent, useRef, useState } from 'react'
import { ApiRefusal, messageOf } from '../../lib/api-refusal.ts'
import { LastLoaded } from '../../lib/last-loaded.tsx'
import { Link } from '../../lib/router.tsx'
import { useNow } from '../../lib/use-now.ts'
import { Button } from '../../ui/button.tsx'
import type { Elements } from '../../ui/elements.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorPanel } from '../../ui/error-panel.tsx'
import { NextPage } from '../../ui/next-page.tsx'
import { RefreshFailure } from '../../ui/refresh-failure.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { activityQuery } from './activity.api.ts'
import { byDay, nextDay } from './activity-days.ts'
import { ActivityEntry, elementId } from './activity-item.tsx'
import { useMarkRead } from './mark-read.api.ts'
import { unreadQuery } from './unread.api.ts'

const wayOn = 'text-sm font-medium underline underline-offset-4'

type ActivityListProps = {
  /** The item that a mail led to; null for the newest. */
  item: string | null
  /** The trader whose events alone are meant, by username; null for all. */
  trader: string | null
  /** The choice of a trader. */
  filter: Elements
  /** An item was chosen, or a mail led to it. */
  onChoose: (item: ActivityItem) => void
}

/** The list in its states, below what it is narrowed and marked as read by. */
export function ActivityList({ item, trader, filter, onChoose }: ActivityListProps) {
  const list = useInfiniteQuery(activityQuery(item, trader))
  const { data } = list
  const items = (data?.pages ?? []).flatMap((page) => page.items)
  const first = data?.pages[0]
  // A page of old items leaves newer items unseen: they were not shown.
  useSeen(first && !first.newer ? first.seen : null)
  const [stillNew, forgetNew] = useStillNew(items)
  const whole = useRef<HTMLDivElement>(null)
  function goOn(): void {
    forgetNew()
    // The button that was pressed is gone then.
    whole.current?.focus()
  }
  useArrivalAtItem(
    items.find(({ id }) => isSame(id, item)),
    onChoose,
  )
  return (
    <div ref={whole} tabIndex={-1} className="space-y-4 outline-none">
      <div className="flex min-h-11 flex-wrap items-center justify-between gap-x-4 gap-y-2">
        {filter}
        <MarkAllRead seen={first?.seen ?? null} shows={stillNew.size > 0} onMarked={goOn} />
      </div>
      <States list={list} items={items} item={item} trader={trader} stillNew={stillNew} onChoose={onChoose} />
    </div>
  )
}

type StatesProps = Omit<ActivityListProps, 'filter'> & {
  list: UseInfiniteQueryResult<InfiniteData<ActivityAnswer>>
  items: readonly ActivityItem[]
  stillNew: ReadonlySet<string>
}

function States({ list, items, item, trader, stillNew, onChoose }: StatesProps) {
  const { data, error } = list
  const now = useNow(nextDay)
  if (data === undefined) {
    if (!list.isError) return <ActivitySkeleton />
    if (error instanceof ApiRefusal && error.code === 'activity_not_found') return <NotThere />
    return <ErrorPanel message={messageOf(error)} onRetry={() => void list.refetch()} />
  }
  return (
    <>
      {list.isRefetchError && (
        <RefreshFailure message={messageOf(error)} onRetry={() => void list.refetch()}>
          <LastLoaded at={list.dataUpdatedAt} />
        </RefreshFailure>
      )}
      {items.length === 0 && <Nothing trader={trader} />}
      {data.pages[0]?.newer && (
        <Link to={webPaths.activity} className={wayOn}>
          Newer activity
        </Link>
      )}
      <p role="status" className="sr-only">
        {items.length > 0 && `${items.length} shown`}
      </p>
      <div>
        {byDay(items, now).map(({ key, label, items: ofDay }) => (
          <section key={key} aria-labelledby={`day-${key}`}>
            <h2
              id={`day-${key}`}
              className="pt-2.5 pb-0.5 text-sm leading-5 font-semibold text-muted-foreground"
            >
              {label}
            </h2>
            {ofDay.map((one) => (
              <ActivityEntry
                key={one.id}
                item={one}
                isNew={stillNew.has(one.id)}
                marked={isSame(one.id, item)}
                onChoose={onChoose}
              />
            ))}
          </section>
        ))}
      </div>
      {items.length > 0 && <End list={list} count={items.length} nextId={(at) => items[at]?.id} />}
    </>
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
    if (id !== undefined) buttonOf(id)?.focus()
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

type MarkAllReadProps = {
  /** As the page was answered with. */
  seen: string | null
  /** Whether items are shown as unread. */
  shows: boolean
  onMarked: () => void
}

/** Marks everything of the list as read, what is not shown too; nothing where all is read. */
function MarkAllRead({ seen, shows, onMarked }: MarkAllReadProps) {
  const unread = useQuery(unreadQuery).data?.unread ?? 0
  const { mutate, isPending } = useMarkRead()
  if (!shows && (unread === 0 || seen === null)) return null
  function mark(): void {
    if (unread === 0 || seen === null) onMarked()
    else mutate(seen, { onSuccess: onMarked })
  }
  return (
    <Button variant="ghost" size="sm" loading={isPending} onClick={mark}>
      Mark all read
    </Button>
  )
}

function Nothing({ trader }: { trader: string | null }) {
  if (trader !== null)
    return (
      <EmptyState
        title="Nothing of this trader is in your activity."
        action={
          <Link to={webPaths.activity} className={wayOn}>
            See all activity
          </Link>
        }
      >
        It has what a trader publishes from the day on which you follow them.
      </EmptyState>
    )
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
      {['a', 'b', 'c', 'd', 'e', 'f'].map((row) => (
        <Skeleton key={row} className="h-15 rounded-lg" />
      ))}
    </div>
  )
}

function buttonOf(id: string): HTMLElement | null {
  return document.getElementById(elementId(id))?.querySelector('button') ?? null
}

/** Leads eye and focus to the item that a mail led to, and opens it, once. @param item undefined until it is there */
function useArrivalAtItem(item: ActivityItem | undefined, open: (item: ActivityItem) => void): void {
  const arrive = useEffectEvent(() => {
    if (!item) return
    const button = buttonOf(item.id)
    button?.focus({ preventScroll: true })
    button?.scrollIntoView({ block: 'center', behavior: 'instant' })
    open(item)
  })
  const id = item?.id
  useEffect(() => {
    if (id !== undefined) arrive()
  }, [id])
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
 * is asked again after an event: an item that somebody sees as new stays new until they leave, or mark all as read.
 */
function useStillNew(
  items: readonly { id: string; unread: boolean }[],
): [stillNew: ReadonlySet<string>, forget: () => void] {
  const [known, setKnown] = useState<ReadonlySet<string>>(new Set())
  const [forgotten, setForgotten] = useState<ReadonlySet<string>>(new Set())
  const forget = () => {
    setForgotten(new Set([...forgotten, ...items.map(({ id }) => id)]))
    setKnown(new Set())
  }
  const more = items.filter(({ id, unread }) => unread && !known.has(id) && !forgotten.has(id))
  if (more.length === 0) return [known, forget]
  const all = new Set([...known, ...more.map(({ id }) => id)])
  setKnown(all)
  return [all, forget]
}
