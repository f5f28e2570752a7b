import { useQueryClient } from '@tanstack/react-query'
import { webPaths } from '@tradepost/contract/web-paths'
import { type MouseEvent, type ReactNode, useRef } from 'react'
import { Link, useNavigate } from '../../lib/router.tsx'
import { cn } from '../../ui/cn.ts'
import { Monogram } from '../../ui/monogram.tsx'
import { TableRow } from '../../ui/table.tsx'
import { profileQuery } from './traders.api.ts'

/** A pointer that rests this long means it; one that crosses the table asks for nothing. */
const INTENT_MS = 60

type TraderRowProps = { username: string; className?: string; children: ReactNode }

/** A row that leads to its trader, and asks for the profile ahead; the table counts ranks by `[counter-reset:rank]`. */
export function TraderRow({ username, className, children }: TraderRowProps) {
  const navigate = useNavigate()
  const client = useQueryClient()
  const intent = useRef<ReturnType<typeof setTimeout>>(undefined)

  function fetchAhead(): void {
    const profile = profileQuery(username)
    // One that has failed is not retried by pointing at it (decision G-18).
    if (client.getQueryState(profile.queryKey)?.status !== 'error') void client.prefetchQuery(profile)
  }
  /** The link in the row follows itself, with whatever key is held. */
  function follow(event: MouseEvent<HTMLTableRowElement>): void {
    if (event.target instanceof Element && event.target.closest('a') !== null) return
    navigate(webPaths.trader(username))
  }
  return (
    <TableRow
      className={cn('cursor-pointer [counter-increment:rank]', className)}
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

/** Rank, monogram and name. The rank is drawn, not written: the order of the rows says the same. */
export function RankedName({ username }: { username: string }) {
  return (
    <span className="flex items-center">
      <span
        aria-hidden="true"
        className="mr-3 min-w-6 text-right text-muted-foreground before:content-[counter(rank)] lined:text-sm"
      />
      <Monogram name={username} className="mr-2.5" />
      <Link
        to={webPaths.trader(username)}
        data-row-action
        className="rounded-sm font-semibold outline-none hover:underline focus-visible:ring-2 focus-visible:ring-ring focus-visible:ring-offset-2 focus-visible:ring-offset-background lined:inline-flex lined:min-h-11 lined:items-center"
      >
        {username}
      </Link>
    </span>
  )
}
