import type { TraderSearchResult } from '@tradepost/contract/traders'
import { webPaths } from '@tradepost/contract/web-paths'
import { useId } from 'react'
import { Link, useNavigate } from '../../lib/router.tsx'
import { Button, buttonLook } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { DisabledReason } from '../../ui/disabled-reason.tsx'
import { Monogram } from '../../ui/monogram.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import {
  Table,
  TableBody,
  TableCaption,
  TableCell,
  TableHead,
  TableHeader,
  TableRow,
} from '../../ui/table.tsx'
import { AverageProfit } from './average-profit.tsx'
import { TraderPrice } from './trader-price.tsx'
import { TraderStanding } from './trader-standing.tsx'

/** Five columns in the width that is left beside the offered traders. */
const CELL = 'px-2'

/** The one trader found (docs/specification.md section 2). */
export function SearchResult({ found }: { found: TraderSearchResult }) {
  return (
    <Table data-stack="lg">
      <TableCaption>Search result</TableCaption>
      <SearchResultHeader />
      <TableBody>
        <TableRow>
          <TableCell data-label="Username" className={cn(CELL, 'font-semibold')}>
            <span className="inline-flex items-center gap-2.5">
              <Monogram name={found.username} />
              <span translate="no">{found.username}</span>
            </span>
          </TableCell>
          <TableCell data-label="Open Positions" className={cn(CELL, 'text-right')}>
            {found.openPositions}
          </TableCell>
          <TableCell data-label="Closed Positions" className={cn(CELL, 'text-right')}>
            {found.closedPositions}
          </TableCell>
          <TableCell data-label="Average Profit" className={cn(CELL, 'text-right')}>
            <AverageProfit value={found.averageProfit} />
          </TableCell>
          <TableCell className={cn(CELL, 'stacked:pt-3 stacked:before:hidden')}>
            <Actions found={found} />
          </TableCell>
        </TableRow>
      </TableBody>
    </Table>
  )
}

/** Subscribing is hidden for oneself, and greyed out where it is not possible (docs/specification.md section 2). */
function Actions({ found }: { found: TraderSearchResult }) {
  const navigate = useNavigate()
  const reasonId = useId()
  return (
    <div className="space-y-2 text-right stacked:w-full lg:min-w-54">
      <div className="flex flex-wrap items-center justify-end gap-2 stacked:*:flex-1">
        <Link to={webPaths.trader(found.username)} {...buttonLook({ variant: 'outline', size: 'sm' })}>
          View Profile
        </Link>
        {!found.isSelf && (
          <Button
            size="sm"
            disabled={!found.canSubscribe}
            aria-describedby={reasonId}
            onClick={() => navigate(webPaths.subscribe(found.username))}
          >
            Subscribe
          </Button>
        )}
      </div>
      {!found.isSelf && found.canSubscribe && (
        <div className="text-sm text-muted-foreground">
          <p className="flex flex-wrap justify-end gap-x-1">
            <TraderPrice trader={found} monthly="font-medium text-foreground" />
          </p>
          <TraderStanding trader={found} />
        </div>
      )}
      {found.isSubscribed && <Followed id={reasonId} username={found.username} />}
      {!found.isSelf && !found.canSubscribe && !found.isSubscribed && (
        <DisabledReason id={reasonId} reason="Nobody can subscribe to this trader now." />
      )}
    </div>
  )
}

/** In the place of the reason for a follower: there is nothing to press because they follow already. */
function Followed({ id, username }: { id: string; username: string }) {
  return (
    <div className="flex flex-wrap items-center justify-end gap-x-3 text-sm">
      <p id={id} className="text-muted-foreground wrap-anywhere">
        <span>{'You follow '}</span>
        <span translate="no">{`@${username}`}</span>
      </p>
      <Link
        to={webPaths.followedPositionsOf(username)}
        className="inline-flex min-h-11 items-center rounded-sm font-medium whitespace-nowrap underline underline-offset-4 outline-none focus-visible:ring-2 focus-visible:ring-ring sm:min-h-0"
      >
        Their positions
      </Link>
    </div>
  )
}

function SearchResultHeader() {
  return (
    <TableHeader>
      <TableRow>
        <TableHead className={cn(CELL, 'lg:w-46')}>Username</TableHead>
        <TableHead className={cn(CELL, 'text-right')}>Open Positions</TableHead>
        <TableHead className={cn(CELL, 'text-right')}>Closed Positions</TableHead>
        <TableHead className={cn(CELL, 'text-right')}>Average Profit</TableHead>
        <TableHead className={CELL}>
          <span className="sr-only">Actions</span>
        </TableHead>
      </TableRow>
    </TableHeader>
  )
}

/** The result on its way, in its final shape. */
export function SearchResultSkeleton() {
  return (
    <Table aria-hidden="true" data-stack="lg">
      <SearchResultHeader />
      <TableBody>
        <TableRow>
          <TableCell data-label="Username" className={CELL}>
            <Skeleton className="my-1 h-4 w-28" />
          </TableCell>
          {['Open Positions', 'Closed Positions', 'Average Profit'].map((label) => (
            <TableCell key={label} data-label={label} className={CELL}>
              <Skeleton className="my-1 h-4 w-12 lg:ml-auto" />
            </TableCell>
          ))}
          <TableCell className={cn(CELL, 'stacked:pt-3 stacked:before:hidden')}>
            <Skeleton className="h-11 w-full sm:h-9 lg:ml-auto lg:w-48" />
          </TableCell>
        </TableRow>
      </TableBody>
    </Table>
  )
}
