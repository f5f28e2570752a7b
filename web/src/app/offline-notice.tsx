import { WifiOff } from 'lucide-react'
import { useOnline } from '../lib/use-online.ts'

/**
 * Says at the lower edge, for as long as it lasts, that there is no network. It covers nothing that cannot be scrolled to, and
 * moves nothing. Its live region is there before its words, or screen readers would not say them.
 */
export function OfflineNotice() {
  const online = useOnline()
  return (
    <div role="status" data-slot="offline-notice" data-online={online} className="peer">
      {!online && (
        <p className="fixed inset-x-4 bottom-3 z-50 mx-auto flex w-fit items-center gap-2.5 rounded-lg border border-border bg-secondary px-4 py-2 text-sm text-secondary-foreground shadow-xl">
          <WifiOff aria-hidden="true" className="size-4 shrink-0" />
          <span>You are offline. What you see is kept, and refreshed once you are back.</span>
        </p>
      )}
    </div>
  )
}
