import type { Position } from '@tradepost/contract/positions'
import { webPaths } from '@tradepost/contract/web-paths'
import { useCallback, useEffect, useRef, useState } from 'react'
import { Link } from '../../lib/router.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { RefreshFailure } from '../../ui/refresh-failure.tsx'
import { isOwn, type PositionTab } from './position-tabs.ts'
import { PositionsTable } from './positions-table.tsx'

/** Not needed for the first picture, so not in its way: fetched when the table stands, before anybody can point at it. */
const loadDialog = () => import('./position-dialog.tsx')
type Choice = { position: Position; Dialog: Awaited<ReturnType<typeof loadDialog>>['PositionDialog'] }

type PositionsListProps = {
  /** Those of the tab, in the order to show. */
  positions: Position[]
  tab: PositionTab
  /** The viewer's, empty until set. */
  username: string
  /** Why the list could not be brought up to date, or null; it stays readable meanwhile. */
  refreshError: string | null
  onRetry: () => void
  /** Called when a closed position's row is gone, and the focus with it. */
  onRemoved: () => void
}

/** The table with the dialog of the chosen row. Close notes typed and not sent wait here for the next look. */
export function PositionsList({ positions, tab, username, onRemoved, ...props }: PositionsListProps) {
  const { chosen, choose, unchoose } = useChoice()
  const [closeNotes, setCloseNotes] = useState<Record<string, string>>({})
  const removed = useRef(false)
  // Only when the dialog is gone: while it is open, nothing behind it takes the focus.
  useEffect(() => {
    if (chosen !== null || !removed.current) return
    removed.current = false
    onRemoved()
  }, [chosen, onRemoved])
  return (
    <>
      {props.refreshError !== null && <RefreshFailure message={props.refreshError} onRetry={props.onRetry} />}
      <p role="status" className="sr-only">
        {positions.length > 0 && `${positions.length} shown`}
      </p>
      {positions.length === 0 ? (
        <NoPositions tab={tab} />
      ) : (
        <PositionsTable positions={positions} username={username} onChoose={choose} />
      )}
      {chosen && (
        <chosen.Dialog
          key={chosen.position.id}
          position={chosen.position}
          own={isOwn(chosen.position, username)}
          closeNotes={closeNotes[chosen.position.id] ?? ''}
          onCloseNotesChange={(text) =>
            setCloseNotes((before) => ({ ...before, [chosen.position.id]: text }))
          }
          onDismiss={unchoose}
          onClosed={() => {
            removed.current = true
            unchoose()
          }}
        />
      )}
    </>
  )
}

/** The position whose row was pressed, with the dialog to show it in; null while none is, or its code is on the way. */
function useChoice() {
  const [chosen, setChosen] = useState<Choice | null>(null)
  useEffect(() => {
    // Without a network the click will say so.
    loadDialog().catch(() => undefined)
  }, [])
  // Not React's lazy(): what it holds back shows up to a third of a second later, however soon its code is there.
  const choose = useCallback((position: Position) => {
    loadDialog().then(
      ({ PositionDialog: Dialog }) => setChosen({ position, Dialog }),
      // Thrown while drawing, as lazy() would: the boundary offers to load the page again.
      (error) =>
        setChosen(() => {
          throw error
        }),
    )
  }, [])
  const unchoose = useCallback(() => setChosen(null), [])
  return { chosen, choose, unchoose }
}

function NoPositions({ tab }: { tab: PositionTab }) {
  const own = tab === 'personal'
  return (
    <EmptyState
      title="No positions available."
      action={
        <Link
          to={own ? webPaths.trade : webPaths.leaderboard}
          className="text-sm font-medium text-primary underline-offset-4 hover:underline"
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
