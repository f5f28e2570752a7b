import { webPaths } from '@tradepost/contract/web-paths'
import { type ComponentType, useEffect, useState } from 'react'

/** Nothing that a person waits for is asked so late. */
const LATE_MS = 60_000

/** The foot of every screen: the way to the public record, and after a while its state (rule G-115). */
export function RecordFooter() {
  const [State, setState] = useState<ComponentType | null>(null)
  useEffect(() => {
    const load = () =>
      import('./record-state.tsx').then(
        ({ RecordState }) => setState(() => RecordState),
        // The plain link stays. Nobody asked for this, so the page is not loaded again for it.
        () => undefined,
      )
    const timer = setTimeout(load, LATE_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <footer className="mx-auto w-full max-w-[1128px] px-4 pb-4 md:px-6 print:hidden">
      <a
        href={webPaths.record}
        className="inline-flex min-h-11 min-w-11 items-center rounded-sm text-sm text-muted-foreground outline-none hover:text-foreground hover:underline focus-visible:ring-2 focus-visible:ring-ring"
      >
        {State ? <State /> : <span>Public record</span>}
      </a>
    </footer>
  )
}
