import { webPaths } from '@tradepost/contract/web-paths'
import { UserRoundX } from 'lucide-react'
import { Link } from '../../lib/router.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'

type SuspendedTraderProps = {
  /** The id of its text, for the element that the text explains. */
  id: string
  username: string
  isSubscribed: boolean
}

/** In place of the record of a trader whom an operator has suspended (ADR 0074). */
export function SuspendedTrader({ id, username, isSubscribed }: SuspendedTraderProps) {
  return (
    <EmptyState
      icon={<UserRoundX aria-hidden="true" />}
      title="This profile is not available"
      action={
        isSubscribed || (
          <Link
            to={webPaths.search}
            className="text-sm font-medium underline underline-offset-4 hover:decoration-2"
          >
            Find a trader by name
          </Link>
        )
      }
    >
      <p id={id} className="wrap-anywhere">
        {isSubscribed
          ? `@${username} is suspended. You are not charged for following them meanwhile; the positions that you see stay on your home page.`
          : `@${username} is suspended, and takes no new subscribers.`}
      </p>
    </EmptyState>
  )
}
