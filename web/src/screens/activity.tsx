import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { ActivityItem } from '@tradepost/contract/activity'
import { useEffect, useState } from 'react'
import { accountQuery } from '../features/account/account.api.ts'
import { ActivityEvent } from '../features/activity/activity-event.tsx'
import { ActivityFilter } from '../features/activity/activity-filter.tsx'
import { ACTIVITY } from '../features/activity/activity-keys.ts'
import { ActivityList } from '../features/activity/activity-list.tsx'
import { subscriptionsQuery } from '../features/payments/payments.api.ts'
import { positionsQuery } from '../features/positions/positions.api.ts'
import { makeStale } from '../lib/query-client.ts'
import { useSearchParams } from '../lib/router.tsx'
import { usePart } from '../lib/use-part.ts'
import { forgetWanted } from '../lib/wanted.ts'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { PartFailure } from '../ui/part-failure.tsx'

/** /activity (rule G-86): what happened while one was entitled to it, and where the buttons of mails lead. */
export function ActivityScreen() {
  const [parameters, setParameters] = useSearchParams()
  const item = parameters.get('item')
  const trader = parameters.get('trader')
  const [chosen, setChosen] = useState<ActivityItem | null>(null)
  // The person has arrived here.
  useEffect(forgetWanted, [])
  return (
    <div className="space-y-4">
      <header className="space-y-1">
        <h1 className="text-2xl font-semibold tracking-tight">Activity</h1>
        <p className="text-muted-foreground">What you and the traders you follow published.</p>
      </header>
      <ActivityList
        key={`${item} ${trader}`}
        item={item}
        trader={trader}
        filter={
          <FilterOfPerson
            trader={trader}
            onChoose={(name) => setParameters(name === null ? {} : { trader: name }, { replace: true })}
          />
        }
        onChoose={setChosen}
      />
      <ChosenItem item={chosen} onDismiss={() => setChosen(null)} />
    </div>
  )
}

type FilterOfPersonProps = { trader: string | null; onChoose: (trader: string | null) => void }

/** The traders whom one follows or has followed, and oneself. */
function FilterOfPerson(props: FilterOfPersonProps) {
  const account = useQuery(accountQuery).data
  const subscriptions = useQuery({ ...subscriptionsQuery, enabled: account?.customer === true }).data
  const names = subscriptions?.subscriptions.map(({ username }) => username) ?? []
  return <ActivityFilter traders={[...new Set(names)]} own={account?.username ?? ''} {...props} />
}

/** The window of a position, as everywhere else. */
const loadDialog = () => import('../features/positions/position-dialog.tsx')

type ChosenItemProps = { item: ActivityItem | null; onDismiss: () => void }

/** The window of an item's position: as it is now where one sees it in the list of positions, else as the item has it. */
function ChosenItem({ item, onDismiss }: ChosenItemProps) {
  const dialog = usePart(loadDialog, true)
  const list = useQuery({ ...positionsQuery, enabled: item !== null })
  const client = useQueryClient()
  if (item === null) return null
  if (dialog.failed) return <PartFailure what="This position" onRetry={dialog.retry} onDismiss={onDismiss} />
  if (dialog.code === null) return null
  const live = list.data?.find(({ active, id }) => active && id === item.positionId)
  const isKnown = list.data !== undefined || list.isError
  const { PositionDialog, endOf, positionOf } = dialog.code
  return (
    <ErrorBoundary key={item.id}>
      <PositionDialog
        position={live ?? positionOf(item)}
        own={item.own}
        listed={isKnown ? live !== undefined : undefined}
        event={<ActivityEvent item={item} />}
        end={endOf(item)}
        onDismiss={onDismiss}
        onClosed={() => {
          onDismiss()
          // The feed takes one's own close for known.
          void makeStale(client, [ACTIVITY])
        }}
      />
    </ErrorBoundary>
  )
}
