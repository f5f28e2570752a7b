import { Component, type ReactNode } from 'react'
import type { Elements } from './elements.ts'
import { LoadFailure } from './load-failure.tsx'

/** A fault that comes back so soon is no accident of one drawing. */
const AGAIN_WITHIN_MS = 60_000

type BoundaryProps = { children: Elements; className?: string }
type BoundaryState = { failed: boolean; forGood: boolean }

/**
 * The last resort for a fault while drawing, around the page and around each part of a screen, so that the others stay. Draws the part
 * again once, from nothing: a browser's translator, or an extension, may have moved nodes that React then did not find. When that fails
 * too, as it does for a screen whose code could not be fetched, shows the failure and loads the page again. React offers this to classes
 * only.
 */
export class ErrorBoundary extends Component<BoundaryProps, BoundaryState> {
  override state = { failed: false, forGood: false }
  #failedAt = Number.NEGATIVE_INFINITY

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true }
  }

  /** The state that this sets is drawn before anybody sees the gap. */
  override componentDidCatch(): void {
    const forGood = performance.now() - this.#failedAt <= AGAIN_WITHIN_MS
    this.#failedAt = performance.now()
    this.setState({ failed: forGood, forGood })
  }

  override render(): ReactNode {
    const { failed, forGood } = this.state
    if (!failed) return this.props.children
    return forGood ? <LoadFailure className={this.props.className ?? ''} /> : null
  }
}
