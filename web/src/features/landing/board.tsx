import type { BoardTrader, LandingBoard } from '@tradepost/contract/landing-board'
import { writeSeconds } from '@tradepost/contract/seconds'
import { webPaths } from '@tradepost/contract/web-paths'
import { UserRound } from 'lucide-react'
import { recordFacts } from '../../lib/record-facts.ts'
import { Card } from '../../ui/card.tsx'
import { cn } from '../../ui/cn.ts'
import { Gain } from '../../ui/gain.tsx'
import { Monogram } from '../../ui/monogram.tsx'
import { Sparkline } from '../../ui/sparkline.tsx'

const SPARKLINE = { width: 72, height: 24 }

const LINK = 'outline-none focus-visible:ring-2 focus-visible:ring-ring'

/**
 * The best of the leaderboard and three figures, in the place of the sample (rule G-108). Drawn by the server for the document of /
 * (document/drawings.tsx), so its links are plain ones and nothing of it waits for a script.
 */
export function Board({ traders, closed, ranked, halfSeconds }: LandingBoard) {
  return (
    <>
      <Card aria-labelledby="board" className="min-w-0 overflow-hidden">
        <div className="flex flex-wrap items-baseline justify-between gap-x-4 px-4 pt-4 pb-2 sm:px-5">
          <h2 id="board" className="text-base font-semibold">
            Right now
          </h2>
          <p className="text-sm text-muted-foreground">Average gain of closed positions</p>
        </div>
        <ol className="divide-y divide-border border-t border-border [counter-reset:rank]">
          {traders.map((trader, nth) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: it is drawn once, and traders without a name have no other
            <BoardRow key={nth} {...trader} />
          ))}
        </ol>
      </Card>
      <dl className="grid gap-x-12 gap-y-6 border-t border-border pt-8 sm:-mb-8 sm:grid-cols-3 lg:col-span-2 lg:-mb-14">
        <Figure of="Positions closed at market prices">{closed.toLocaleString('en-US')}</Figure>
        <Figure of="Traders ranked">{ranked.toLocaleString('en-US')}</Figure>
        {halfSeconds !== null && (
          <Figure of="Half of all mails sent within" details={webPaths.status}>
            {writeSeconds(halfSeconds)}
          </Figure>
        )}
      </dl>
    </>
  )
}

function BoardRow(trader: BoardTrader) {
  const { username, averageGain, sparkline } = trader
  return (
    <li className="[counter-increment:rank]">
      <a
        href={username === null ? webPaths.login : webPaths.publicPage(username)}
        className={cn(
          LINK,
          'flex min-h-14 items-center px-4 py-1 ring-inset hover:bg-accent max-[359px]:px-3 sm:px-5',
        )}
      >
        {/* Drawn, not written: the order of the rows has the same meaning. */}
        <span
          aria-hidden="true"
          className="mr-3 w-3 text-sm text-muted-foreground tabular-nums max-[359px]:mr-2 before:content-[counter(rank)]"
        />
        {username === null ? <Nobody /> : <Monogram name={username} className="mr-2.5 max-[359px]:hidden" />}
        <span className="mr-auto min-w-0 pr-3">
          {username === null ? (
            <span className="block leading-5.5 text-muted-foreground">A trader</span>
          ) : (
            <span translate="no" className="block leading-5.5 font-semibold wrap-anywhere">
              {username}
            </span>
          )}
          <span className="block text-[0.8125rem] leading-4.5 text-muted-foreground min-[22.5rem]:truncate">
            {recordFacts(trader)}
          </span>
        </span>
        <span className="flex shrink-0 flex-col-reverse items-end sm:flex-row sm:items-center">
          {sparkline && <Sparkline levels={sparkline} size={SPARKLINE} />}
          <Gain
            value={averageGain}
            className="justify-end text-[1.0625rem] leading-5.5 font-semibold sm:w-28"
          />
        </span>
      </a>
    </li>
  )
}

/** In the place of the monogram of somebody who is not named. */
function Nobody() {
  return (
    <span
      aria-hidden="true"
      className="mr-2.5 inline-flex size-7 shrink-0 items-center justify-center rounded-full bg-muted text-muted-foreground max-[359px]:hidden"
    >
      <UserRound className="size-4" />
    </span>
  )
}

type FigureProps = {
  of: string
  /** Where there is more about it. */
  details?: string
  children: string
}

function Figure({ of, details, children }: FigureProps) {
  return (
    <div>
      <dt className="text-sm text-muted-foreground">
        {details === undefined ? (
          <span>{of}</span>
        ) : (
          <a href={details} className={cn(LINK, 'rounded-sm underline hover:text-foreground')}>
            {of}
          </a>
        )}
      </dt>
      <dd translate="no" className="text-[2rem] leading-tight font-semibold tracking-tight tabular-nums">
        {children}
      </dd>
    </div>
  )
}
