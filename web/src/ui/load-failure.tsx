import { FALLBACK_MESSAGE } from '@tradepost/contract/errors'
import { useState } from 'react'
import { ErrorPanel } from './error-panel.tsx'

/**
 * A file of the page could not be loaded: says so, and loads the page again as soon as that is possible. Reloading
 * without a network would show the browser's error page, which does not mention the product and leads nowhere.
 */
export function LoadFailure({ className = '' }: { className?: string }) {
  const [retrying, setRetrying] = useState(false)

  async function loadAnew(): Promise<void> {
    setRetrying(true)
    try {
      await fetch(location.href, { method: 'HEAD', cache: 'no-store' })
      location.reload()
    } catch {
      setRetrying(false)
    }
  }

  return (
    <ErrorPanel
      message={FALLBACK_MESSAGE}
      onRetry={() => void loadAnew()}
      retrying={retrying}
      className={className}
    />
  )
}
