import { useEffect } from 'react'
import { ActivityList } from '../features/activity/activity-list.tsx'
import { useSearchParams } from '../lib/router.tsx'
import { forgetWanted } from '../lib/wanted-item.ts'

/** /activity (rule G-86): what happened while one was entitled to it, and where the buttons of mails lead. */
export function ActivityScreen() {
  const [parameters] = useSearchParams()
  const item = parameters.get('item')
  // The person has arrived here.
  useEffect(forgetWanted, [])
  return (
    <div className="space-y-6">
      <header className="space-y-1">
        <h1 className="text-2xl font-semibold tracking-tight">Activity</h1>
        <p className="text-muted-foreground">What you and the traders you follow published.</p>
      </header>
      <ActivityList key={item} item={item} />
    </div>
  )
}
