import { useQuery } from '@tanstack/react-query'
import type { Position } from '@tradepost/contract/positions'
import { webPaths } from '@tradepost/contract/web-paths'
import { Plus } from 'lucide-react'
import { useDeferredValue, useId, useMemo, useRef } from 'react'
import { accountQuery } from '../features/account/account.api.ts'
import {
  POSITION_TAB_LABELS,
  POSITION_TABS,
  type PositionTab,
  parsePositionTab,
  positionsOfTab,
} from '../features/positions/position-tabs.ts'
import { positionsQuery } from '../features/positions/positions.api.ts'
import { PositionsList } from '../features/positions/positions-list.tsx'
import { PositionsTableSkeleton } from '../features/positions/positions-table.tsx'
import { sortPositions } from '../features/positions/sort-positions.ts'
import { messageOf } from '../lib/api-refusal.ts'
import { useNavigate, useSearchParams } from '../lib/router.tsx'
import { serverNow } from '../lib/server-time.ts'
import { Button } from '../ui/button.tsx'
import { ErrorPanel } from '../ui/error-panel.tsx'
import { Select } from '../ui/select.tsx'
import { Tabs, TabsContent, TabsList, TabsTrigger } from '../ui/tabs.tsx'

/** / for signed-in people (docs/specification.md section 2). */
export function PositionsScreen() {
  const [parameters, setParameters] = useSearchParams()
  const tab = parsePositionTab(parameters.get('tab'))
  const navigate = useNavigate()
  const heading = useRef<HTMLHeadingElement>(null)
  const choose = (value: string) => setParameters({ tab: value }, { replace: true })
  return (
    <div className="space-y-6">
      <header className="flex flex-wrap items-center justify-between gap-4">
        <h1 ref={heading} tabIndex={-1} className="text-2xl font-semibold tracking-tight outline-none">
          Positions
        </h1>
        <Button onClick={() => navigate(webPaths.trade)}>
          <Plus aria-hidden="true" />
          <span>New Position</span>
        </Button>
      </header>
      <Tabs value={tab} onValueChange={choose}>
        <TabsList aria-label="Whose positions" className="max-md:hidden">
          {POSITION_TABS.map((value) => (
            <TabsTrigger key={value} value={value}>
              {POSITION_TAB_LABELS[value]}
            </TabsTrigger>
          ))}
        </TabsList>
        <TabSelect tab={tab} onChoose={choose} />
        <TabsContent value={tab}>
          <PositionsOfTab tab={tab} onRemoved={() => heading.current?.focus()} />
        </TabsContent>
      </Tabs>
    </div>
  )
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

function PositionsOfTab({ tab, onRemoved }: { tab: PositionTab; onRemoved: () => void }) {
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
      username={account.data.username}
      refreshError={list.isError ? messageOf(list.error) : null}
      loadedAt={list.dataUpdatedAt}
      onRetry={() => void list.refetch()}
      onRemoved={onRemoved}
    />
  )
}

type LoadedPositionsProps = {
  positions: Position[]
  tab: PositionTab
  username: string
  refreshError: string | null
  loadedAt: number
  onRetry: () => void
  onRemoved: () => void
}

/** The tab turns at once; five hundred rows follow as soon as the browser has time for them. */
function LoadedPositions({ positions, tab, username, ...props }: LoadedPositionsProps) {
  const sorted = useMemo(() => sortPositions(positions, serverNow()), [positions])
  const shownTab = useDeferredValue(tab)
  const shown = useMemo(() => positionsOfTab(sorted, shownTab, username), [sorted, shownTab, username])
  return <PositionsList positions={shown} tab={shownTab} username={username} {...props} />
}
