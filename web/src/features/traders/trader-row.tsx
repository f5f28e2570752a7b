import { useQueryClient } from '@tanstack/react-query'
import { webPaths } from '@tradepost/contract/web-paths'
import { type MouseEvent, type ReactNode, useRef } from 'react'
import { Link, useNavigate } from '../../lib/router.tsx'
import { cn } from '../../ui/cn.ts'
import type { Elements } from '../../ui/elements.ts'
import { Monogram } from '../../ui/monogram.tsx'
import { TableRow } from '../../ui/table.tsx'
import { profileQuery } from './traders.api.ts'

/** A pointer that rests this long on a row prefetches; one that crosses the table asks for nothing. */
const INTENT_MS = 60

/** One's own row: tinted, on a phone from edge to edge, and in sight also while the list goes on above or below the window. */
const OWN =
  'sticky top-14 bottom-0 z-10 bg-own shadow-[0_1px_var(--border),0_-1px_var(--border)] md:top-0 lined:shadow-[-1rem_0_var(--own),1rem_0_var(--own),0_1px_var(--border),0_-1px_var(--border)]'

type TraderRowProps = { username: string; isSelf?: boolean; className?: string; children: ReactNode }

/** A row that leads to its trader, and asks for the profile ahead; the table counts ranks by `[counter-reset:rank]`. */
export function TraderRow({ username, isSelf = false, className, children }: TraderRowProps) {
  const navigate = useNavigate()
  const client = useQueryClient()
  const intent = useRef<ReturnType<typeof setTimeout>>(undefined)

  function fetchAhead(): void {
    const profile = profileQuery(username)
    // One that has failed is not retried by pointing at it (rule G-18).
    if (client.getQueryState(profile.queryKey)?.status !== 'error') void client.prefetchQuery(profile)
  }
  /** Follows the row. The link in it follows itself, with whatever key is pressed. */
  function follow(event: MouseEvent<HTMLTableRowElement>): void {
    if (event.target instanceof Element && event.target.closest('a') !== null) return
    navigate(webPaths.trader(username))
  }
  return (
    <TableRow
      className={cn('cursor-pointer [counter-increment:rank]', isSelf && OWN, className)}
      onClick={follow}
      onFocus={fetchAhead}
      onPointerEnter={() => {
        intent.current = setTimeout(fetchAhead, INTENT_MS)
      }}
      onPointerLeave={() => clearTimeout(intent.current)}
    >
      {children}
    </TableRow>
  )
}

type RankedNameProps = {
  username: string
  isSelf?: boolean
  /** The row is not at its place in the list; its rank stands below the name. */
  isBeyond?: boolean
  /** The row has no rank, and counts in none. */
  isUnranked?: boolean
  /** A second line, which on a phone is within the height of the first one. */
  below?: string | Elements
}

/** Rank, monogram and name. The rank is drawn, not written: the order of the rows has the same meaning. */
export function RankedName({
  username,
  isSelf = false,
  isBeyond = false,
  isUnranked = false,
  below = null,
}: RankedNameProps) {
  return (
    <span className="flex min-w-0 items-center">
      <span
        aria-hidden="true"
        className={cn(
          'mr-3 min-w-6 text-right text-muted-foreground lined:text-sm',
          isBeyond && 'before:content-["…"]',
          !isBeyond && !isUnranked && 'before:content-[counter(rank)]',
        )}
      />
      <Monogram name={username} className="mr-2.5" />
      <span className="relative min-w-0">
        <span className="flex flex-wrap items-center gap-x-2 lined:flex-nowrap">
          <Link
            translate="no"
            to={webPaths.trader(username)}
            data-row-action
            className={cn(
              'scroll-my-36 rounded-sm font-semibold outline-none hover:underline focus-visible:ring-2 focus-visible:ring-ring focus-visible:ring-offset-2 focus-visible:ring-offset-background md:wrap-normal lined:inline-flex lined:min-h-11 lined:items-center',
              below && 'lined:items-start lined:pt-0.5 lined:pb-4.5',
            )}
          >
            {username}
          </Link>
          {isSelf && <You className={cn(below && 'lined:mb-4.5')} />}
        </span>
        {Boolean(below) && (
          <span className="block text-[0.8125rem] leading-4.5 whitespace-nowrap text-muted-foreground lined:pointer-events-none lined:absolute lined:bottom-0.5 lined:left-0">
            {below}
          </span>
        )}
      </span>
    </span>
  )
}

/** In words, since a tint has no meaning to screen readers; the narrowest phones have no room for it beside a long name. */
function You({ className }: { className: string }) {
  return (
    <span
      className={cn(
        'rounded-sm bg-action px-1.5 text-xs leading-4.5 font-medium whitespace-nowrap text-action-foreground max-[359px]:sr-only',
        className,
      )}
    >
      You
    </span>
  )
}
