import { formatAge, formatExactTime, formatTime } from './format.ts'
import { useMinute } from './use-minute.ts'

/** How old a list is that could not be brought up to date. @param at when it was loaded, ms by the clock of this device */
export function LastLoaded({ at }: { at: number }) {
  useMinute()
  const loaded = new Date(at).toISOString()
  // Both by this device's clock: the server's may not be known without a network.
  const age = formatAge(loaded, new Date())
  return (
    <time dateTime={loaded} title={formatExactTime(loaded)} className="block text-muted-foreground">
      {age === null ? 'Last loaded just now.' : `Last loaded ${age} ago, on ${formatTime(loaded)}.`}
    </time>
  )
}
