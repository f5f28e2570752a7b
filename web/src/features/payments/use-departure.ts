import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { messageOf } from '../../lib/api-refusal.ts'
import { makeStale } from '../../lib/query-client.ts'
import { providerAddress } from './provider-address.ts'

type Departure = {
  /** The name under which the page is being left, for the spinner of that button; null while it stays. */
  leavingBy: string | null
  /** Why it could not be left, or null. */
  error: string | null
  /** Asks for a page of the provider and goes there. While one is being asked for, nothing more is. */
  leave: (by: string, ask: () => Promise<string>) => void
}

/**
 * Leaves the product for a page of the payment provider, in the same tab. The spinner turns until the page is gone; it
 * stops when the browser restores the page from its back/forward cache, and then all loaded data is fetched again.
 * @param onFailure called with the reason when it could not be left
 */
export function useDeparture(onFailure?: (reason: unknown) => void): Departure {
  const client = useQueryClient()
  const [leavingBy, setLeavingBy] = useState<string | null>(null)
  const [error, setError] = useState<string | null>(null)
  // State is a render late: two clicks in one frame would both find the button at rest.
  const busy = useRef(false)
  const here = useRef(false)

  const stay = useCallback((because: string | null) => {
    busy.current = false
    setLeavingBy(null)
    setError(because)
  }, [])

  useEffect(() => {
    here.current = true
    function comeBack({ persisted }: PageTransitionEvent): void {
      if (!persisted) return
      stay(null)
      void makeStale(client)
    }
    addEventListener('pageshow', comeBack)
    return () => {
      here.current = false
      removeEventListener('pageshow', comeBack)
    }
  }, [client, stay])

  async function leave(by: string, ask: () => Promise<string>): Promise<void> {
    if (busy.current) return
    busy.current = true
    setLeavingBy(by)
    setError(null)
    try {
      const address = providerAddress(await ask())
      // A person who went to another screen meanwhile stays there.
      if (here.current) location.assign(address)
    } catch (reason) {
      stay(messageOf(reason))
      onFailure?.(reason)
    }
  }

  return { leavingBy, error, leave: (by, ask) => void leave(by, ask) }
}
