import { useQuery } from '@tanstack/react-query'
import type { Account } from '@tradepost/contract/accounts'
import type { Position } from '@tradepost/contract/positions'
import { webPaths } from '@tradepost/contract/web-paths'
import { Plus } from 'lucide-react'
import { useDeferredValue, useId, useMemo, useRef, useState } from 'react'
import { accountQuery } from '../features/account/account.api.ts'
import {
  isOwn,
  POSITION_TAB_LABELS,
  POSITION_TABS,
  type PositionTab,
  parsePositionTab,
  positionsOfTab,
} from '../features/positions/position-tabs.ts'
import { positionsQuery } from '../features/positions/positions.api.ts'
import { NoPositions, PositionsList } from '../features/positions/positions-list.tsx'
import { PositionsTableSkeleton } from '../features/positions/positions-table.tsx'
import { sortPositions } from '../features/positions/sort-positions.ts'
import { messageOf } from '../lib/api-refusal.ts'
import { Link, useNavigate, useSearchParams } from '../lib/router.tsx'
import { serverNow } from '../lib/server-time.ts'
import { usePart } from '../lib/use-part.ts'
import { readWanted } from '../lib/wanted.ts'
import { Button } from '../ui/button.tsx'
import type { Elements } from '../ui/elements.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { ErrorPanel } from '../ui/error-panel.tsx'
import { Select } from '../ui/select.tsx'
import { Tabs, TabsContent, TabsList, TabsTrigger } from '../ui/tabs.tsx'

const loadFirstRun = () => import('../parts/first-run.tsx')
/** Fetched by those who follow somebody, on their tab. */
const loadStrip = () => import('../features/payments/following-strip.tsx')

/** / for signed-in people (docs/specification.md section 2). */
export function PositionsScreen() {
  const [parameters, setParameters] = useSearchParams()
  const tab = parsePositionTab(parameters.get('tab'))
  const trader = parameters.get('trader')
  const navigate = useNavigate()
  // Without a username nothing can be published yet, and the way to one is below. Until that is known the button looks as it mostly does.
  const account = useQuery(accountQuery).data
  const positions = useQuery(positionsQuery).data
  const isNamed = account?.username !== ''
  const heading = useRef<HTMLHeadingElement>(null)
  const [isWanted, setWanted] = useState(() => readWanted(Date.now()) !== null)
  const choose = (value: string) => setParameters({ tab: value }, { replace: true })
  return (
    <div className="space-y-6">
      <header className="flex flex-wrap items-center justify-between gap-4">
        <h1 ref={heading} tabIndex={-1} className="text-2xl font-semibold tracking-tight outline-none">
          Positions
        </h1>
        <Button variant={isNamed ? 'default' : 'outline'} onClick={() => navigate(webPaths.trade)}>
          <Plus aria-hidden="true" />
          <span>New Position</span>
        </Button>
      </header>
      {isWanted && <CameForPlace onGone={() => setWanted(false)} />}
      <Tabs value={tab} onValueChange={choose}>
        <div className="flex items-center justify-between gap-3">
          <TabsList aria-label="Whose positions" className="max-md:hidden">
            {POSITION_TABS.map((value) => (
              <TabsTrigger key={value} value={value}>
                {POSITION_TAB_LABELS[value]}
              </TabsTrigger>
            ))}
          </TabsList>
          <TabSelect tab={tab} onChoose={choose} />
          {tab !== 'subscription' && isFollower(account, positions) && (
            <Link
              to={webPaths.followedPositions}
              className="flex min-h-11 min-w-0 items-center text-right text-sm leading-5 underline underline-offset-4 md:min-h-8"
            >
              What following brought
            </Link>
          )}
        </div>
        <TabsContent value={tab}>
          {trader !== null && <OneTrader name={trader} />}
          <PositionsOfTab tab={tab} trader={trader} onRemoved={() => heading.current?.focus()} />
        </TabsContent>
      </Tabs>
    </div>
  )
}

/** Whether somebody follows a trader, or did: billing is set up, or positions of others are there. False until that is known. */
function isFollower(account: Account | undefined, positions: readonly Position[] = []): boolean {
  if (account === undefined) return false
  return account.customer || positions.some((position) => !isOwn(position, account.username))
}

const loadCameFor = () => import('../features/session/came-for.tsx').then(({ CameFor }) => CameFor)

/** Few come for another page than this one, so the line is fetched for them alone, and its place is kept. */
function CameForPlace({ onGone }: { onGone: () => void }) {
  const { code: CameFor } = usePart(loadCameFor, true)
  return <div className="min-h-11.5">{CameFor && <CameFor onGone={onGone} />}</div>
}

/** In the place of the tab bar, which small screens do not have (docs/specification.md section 2). */
function TabSelect({ tab, onChoose }: { tab: PositionTab; onChoose: (value: string) => void }) {
  const id = useId()
  return (
    <div className="flex items-center gap-3 text-sm text-muted-foreground md:hidden">
      <label htmlFor={id}>Showing</label>
      <Select
        id={id}
        value={tab}
        className="text-sm font-medium"
        onChange={(event) => onChoose(event.currentTarget.value)}
      >
        {POSITION_TABS.map((value) => (
          <option key={value} value={value}>
            {POSITION_TAB_LABELS[value]}
          </option>
        ))}
      </Select>
    </div>
  )
}

/** That the list is of one trader alone, and the way to all. */
function OneTrader({ name }: { name: string }) {
  return (
    <p className="mb-3 flex flex-wrap gap-x-3 text-sm">
      <span translate="no" className="max-w-60 truncate font-medium">{`@${name}`}</span>
      <Link to={webPaths.followedPositions} className="underline underline-offset-4">
        Show all
      </Link>
    </p>
  )
}

type PositionsOfTabProps = { tab: PositionTab; trader: string | null; onRemoved: () => void }

function PositionsOfTab({ tab, trader, onRemoved }: PositionsOfTabProps) {
  const account = useQuery(accountQuery)
  const list = useQuery(positionsQuery)
  const failed = [account, list].filter((query) => query.data === undefined && query.isError)
  if (failed.length > 0) {
    return (
      <ErrorPanel
        message={messageOf(failed[0]?.error)}
        onRetry={() => failed.forEach((query) => void query.refetch())}
      />
    )
  }
  if (account.data === undefined || list.data === undefined) return <PositionsTableSkeleton />
  return (
    <LoadedPositions
      positions={list.data}
      tab={tab}
      trader={trader}
      username={account.data.username}
      whenNone={list.data.length === 0 ? <FirstRunPart account={account.data} tab={tab} /> : undefined}
      follows={isFollower(account.data, list.data)}
      refreshError={list.isError ? messageOf(list.error) : null}
      loadedAt={list.dataUpdatedAt}
      onRetry={() => void list.refetch()}
      onRemoved={onRemoved}
    />
  )
}

/** Only somebody without any position loads it; where it cannot be loaded, one link has to do. */
function FirstRunPart({ account, tab }: { account: Account; tab: PositionTab }) {
  const { code, failed } = usePart(loadFirstRun, true)
  if (failed) return <NoPositions tab={tab} />
  return (
    <div className="min-h-120 space-y-4">
      <EmptyState title="No positions available." className="py-8">
        Your open positions and those of the traders you follow appear here.
      </EmptyState>
      {code && <code.FirstRun account={account} />}
    </div>
  )
}

type LoadedPositionsProps = {
  positions: Position[]
  tab: PositionTab
  /** The trader whose positions alone are meant; null for all. */
  trader: string | null
  username: string
  whenNone: Elements | undefined
  follows: boolean
  refreshError: string | null
  loadedAt: number
  onRetry: () => void
  onRemoved: () => void
}

/** The tab turns at once; five hundred rows follow as soon as the browser has time for them. */
function LoadedPositions({ positions, tab, trader, username, follows, ...props }: LoadedPositionsProps) {
  const sorted = useMemo(() => sortPositions(positions, serverNow()), [positions])
  const shownTab = useDeferredValue(tab)
  const shown = useMemo(
    () => positionsOfTab(sorted, shownTab, username, trader),
    [sorted, shownTab, username, trader],
  )
  return (
    <>
      {shownTab === 'subscription' && trader === null && follows && <FollowingPlace />}
      <PositionsList positions={shown} tab={shownTab} username={username} {...props} />
    </>
  )
}

/** Keeps the place of what following has brought while its code is fetched. */
function FollowingPlace() {
  const { code } = usePart(loadStrip, true)
  return (
    <div className="mb-4 min-h-28 max-[22.5rem]:min-h-33 sm:min-h-22">{code && <code.FollowingStrip />}</div>
  )
}
