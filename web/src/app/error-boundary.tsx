import { FALLBACK_MESSAGE } from '@tradepost/contract/errors'
import { Component, type ReactNode } from 'react'
import { ErrorPanel } from '../ui/error-panel.tsx'

type Props = { children: ReactNode }

/**
 * The last resort for a fault while drawing, and for a screen whose code could not be fetched (no network, or a newer
 * version was put in place): says so and loads the page anew. React offers this to classes only.
 */
export class ErrorBoundary extends Component<Props, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true }
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children
    return <ErrorPanel message={FALLBACK_MESSAGE} onRetry={() => location.reload()} className="m-6" />
  }
}
