import { useRef, useState } from 'react'
import { messageOf } from '../../lib/api-refusal.ts'
import { providerAddress } from './provider-address.ts'

const BLOCKED = 'Your browser blocked the new tab. Allow it for this site and try again.'

type NewTab = {
  opening: boolean
  /** Why nothing was opened, or null. */
  error: string | null
  /** To be called in the click itself. */
  open: (ask: () => Promise<string>) => void
}

/**
 * Opens a page of the payment provider in a new tab. The tab opens in the click, before the address is known: later,
 * browsers would take it for a pop-up. It has no way back to this page, and goes again when there is no address.
 */
export function useNewTab(): NewTab {
  const [opening, setOpening] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const busy = useRef(false)

  async function lead(tab: Window, ask: () => Promise<string>): Promise<void> {
    busy.current = true
    setOpening(true)
    try {
      tab.location.replace(providerAddress(await ask()))
    } catch (reason) {
      tab.close()
      setError(messageOf(reason))
    }
    busy.current = false
    setOpening(false)
  }

  function open(ask: () => Promise<string>): void {
    if (busy.current) return
    setError(null)
    // "noopener" would open the tab without a handle to lead it by.
    const tab = window.open('', '_blank')
    if (tab === null) {
      setError(BLOCKED)
      return
    }
    tab.opener = null
    void lead(tab, ask)
  }

  return { opening, error, open }
}
