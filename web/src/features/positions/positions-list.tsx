import type { Position } from '@tradepost/contract/positions'
import { webPaths } from '@tradepost/contract/web-paths'
import { useCallback, useEffect, useRef, useState } from 'react'
import { LastLoaded } from '../../lib/last-loaded.tsx'
import { Link } from '../../lib/router.tsx'
import { usePart } from '../../lib/use-part.ts'
import type { Elements } from '../../ui/elements.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorBoundary } from '../../ui/error-boundary.tsx'
import { PartFailure } from '../../ui/part-failure.tsx'
import { RefreshFailure } from '../../ui/refresh-failure.tsx'
import { RightsNote } from '../../ui/rights-note.tsx'
import { OwnSummary } from './own-summary.tsx'
import { isOwn, type PositionTab } from './position-tabs.ts'
import { PositionsTable } from './positions-table.tsx'
import { rightsOf, useMarks } from './use-marks.ts'

/** Fetched once somebody goes for a row: most visits open no dialog. */
const loadDialog = () => import('./position-dialog.tsx')

type PositionsListProps = {
  /** The positions of the tab, in the order to show. */
  positions: Position[]
  tab: PositionTab
  /** In the place of the sentence that there are none. */
  whenNone?: Elements | undefined
  /** The viewer's, empty until set. */
  username: string
  /** Why the list could not be brought up to date, or null; it stays readable meanwhile. */
  refreshError: string | null
  /** When it was loaded, ms by the clock of this device. */
  loadedAt: number
  onRetry: () => void
  /** Called when the row of a position that was looked at is gone, and the focus with it. */
  onRemoved: () => void
}

/** The table with the dialog of the chosen row. */
export function PositionsList({ positions, tab, username, onRemoved, ...props }: PositionsListProps) {
  const [chosen, setChosen] = useState<Position | null>(null)
  const unchoose = useCallback(() => setChosen(null), [])
  const [wanted, setWanted] = useState(false)
  const want = useCallback(() => setWanted(true), [])
  const dialog = usePart(loadDialog, wanted || chosen !== null)
  const marks = useMarks(true)
  const counted = positions.filter((position) => isOwn(position, username) && !position.struck)
  const present = positions.find(({ id }) => id === chosen?.id)
  const listed = present !== undefined
  const removed = useRef(false)
  // Only when the dialog is gone: while it is open, nothing behind it takes the focus.
  useEffect(() => {
    if (chosen !== null || !removed.current) return
    removed.current = false
    onRemoved()
  }, [chosen, onRemoved])
  return (
    <>
      {props.refreshError !== null && (
        <RefreshFailure message={props.refreshError} onRetry={props.onRetry}>
          <LastLoaded at={props.loadedAt} />
        </RefreshFailure>
      )}
      <p role="status" className="sr-only">
        {positions.length > 0 && `${positions.length} shown`}
      </p>
      {positions.length === 0 ? (
        (props.whenNone ?? <NoPositions tab={tab} />)
      ) : (
        <>
          {counted.length > 0 && (
            <div className="mb-3 h-10 sm:h-5">
              <OwnSummary positions={counted} marks={marks} />
            </div>
          )}
          <PositionsTable
            positions={positions}
            username={username}
            marks={marks}
            onIntent={want}
            onChoose={setChosen}
          />
          <RightsNote rights={rightsOf(marks)} />
        </>
      )}
      {chosen && dialog.failed && (
        <PartFailure what="This position" onRetry={dialog.retry} onDismiss={unchoose} />
      )}
      {chosen && dialog.code && (
        <ErrorBoundary key={chosen.id}>
          <dialog.code.PositionDialog
            position={present ?? chosen}
            own={isOwn(chosen, username)}
            listed={listed}
            onDismiss={() => {
              removed.current = !listed
              unchoose()
            }}
            onClosed={() => {
              removed.current = true
              unchoose()
            }}
          />
        </ErrorBoundary>
      )}
    </>
  )
}

/** That there are none, with the one next step. */
export function NoPositions({ tab }: { tab: PositionTab }) {
  const own = tab === 'personal'
  return (
    <EmptyState
      title="No positions available."
      action={
        <Link
          to={own ? webPaths.trade : webPaths.leaderboard}
          className="text-sm font-medium underline underline-offset-4"
        >
          {own ? 'Publish your first position' : 'Find a trader to follow'}
        </Link>
      }
    >
      {own
        ? 'Positions you publish appear here until you close them.'
        : 'Your open positions and those of the traders you follow appear here.'}
    </EmptyState>
  )
}
