import { Component, type ReactNode } from 'react'
import { LoadFailure } from '../ui/load-failure.tsx'

type Props = { children: ReactNode }

/**
 * The last resort for a fault while drawing, and for a screen whose code could not be fetched (no network, or a newer
 * version was put in place): says so and loads the page again. React offers this to classes only.
 */
export class ErrorBoundary extends Component<Props, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true }
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children
    return <LoadFailure className="m-6" />
  }
}
