import { FALLBACK_MESSAGE } from '@tradepost/contract/errors'
import { useState } from 'react'
import { ErrorPanel } from './error-panel.tsx'

/**
 * The page itself is missing something: says so, and loads it anew as soon as that can be done. Without a network the
 * browser would put a page of its own in its place, which says nothing of ours and leads nowhere.
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
