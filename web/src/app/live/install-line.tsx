import { BRAND } from '@tradepost/contract/brand'
import { X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from '../../ui/button.tsx'

/** An empty cache of this name remembers that nobody wants to be asked: ending a session does not clear it. */
const DECLINED = 'tradepost-install-declined'

/** As Chromium sends it where the app can be installed and is not; no standard has it yet. */
type InstallEvent = Event & { prompt: () => Promise<unknown> }

/** Offers to install the app, at the lower edge, where the browser can and nobody has declined. It moves nothing. */
export function InstallLine() {
  const [offer, setOffer] = useState<InstallEvent | null>(null)
  useEffect(() => {
    const ending = new AbortController()
    async function take(event: Event): Promise<void> {
      // The browser shows nothing of its own then.
      event.preventDefault()
      const declined = await caches.has(DECLINED).catch(() => true)
      if (!declined && !ending.signal.aborted) setOffer(event as InstallEvent)
    }
    addEventListener('beforeinstallprompt', take, ending)
    addEventListener('appinstalled', () => setOffer(null), ending)
    return () => ending.abort()
  }, [])

  function install(): void {
    setOffer(null)
    void offer?.prompt().catch(() => undefined)
  }
  function decline(): void {
    setOffer(null)
    void caches.open(DECLINED).catch(() => undefined)
  }
  if (offer === null) return null
  return (
    <aside
      aria-label={`Install ${BRAND}`}
      className="fixed inset-x-4 bottom-3 z-20 mx-auto flex w-fit max-w-[calc(100%-2rem)] items-center gap-2 rounded-lg border border-border bg-card py-0.5 pr-1 pl-4 text-sm print:hidden"
    >
      <p>{`Keep ${BRAND} as an app on this device.`}</p>
      <Button variant="link" size="sm" className="min-w-0 px-2" onClick={install}>
        Install
      </Button>
      <Button variant="ghost" size="icon" aria-label="Never ask again" onClick={decline}>
        <X aria-hidden="true" />
      </Button>
    </aside>
  )
}
