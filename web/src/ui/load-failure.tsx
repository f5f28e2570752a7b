import { FALLBACK_MESSAGE } from '@tradepost/contract/fallback-message'
import { useCallback, useEffect, useState } from 'react'
import { ErrorPanel } from './error-panel.tsx'

/**
 * A file of the page could not be loaded: shows that, and loads the page again when a network is back or somebody asks. Reloading
 * without a network would show the browser's error page, which does not mention the product and leads nowhere.
 */
export function LoadFailure({ className = '' }: { className?: string }) {
  const [retrying, setRetrying] = useState(false)

  const loadAgain = useCallback(async () => {
    setRetrying(true)
    try {
      await fetch(location.href, { method: 'HEAD', cache: 'no-store' })
      location.reload()
    } catch {
      setRetrying(false)
    }
  }, [])

  useEffect(() => {
    const onBack = () => void loadAgain()
    window.addEventListener('online', onBack)
    return () => window.removeEventListener('online', onBack)
  }, [loadAgain])

  return (
    <ErrorPanel
      message={FALLBACK_MESSAGE}
      onRetry={() => void loadAgain()}
      retrying={retrying}
      className={className}
    />
  )
}
