import { refusalMessage } from '@tradepost/contract/errors'
import { webPaths } from '@tradepost/contract/web-paths'
import { UserRoundX } from 'lucide-react'
import { ApiRefusal } from '../../lib/api-refusal.ts'
import { Link } from '../../lib/router.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'

/** Whether a profile could not be read because there is no such trader: 404 is nobody's name, 422 cannot be anybody's. */
export function isUnknownTrader(error: unknown): boolean {
  return error instanceof ApiRefusal && (error.status === 404 || error.status === 422)
}

/** In place of a trader's page: nobody has that name (rule G-26). */
export function UnknownTrader() {
  return (
    <div className="space-y-6">
      <h1 className="sr-only">Trader</h1>
      <EmptyState
        icon={<UserRoundX aria-hidden="true" />}
        title={refusalMessage('user_not_found')}
        action={
          <Link
            to={webPaths.search}
            className="text-sm font-medium underline underline-offset-4 hover:decoration-2"
          >
            Find a trader by name
          </Link>
        }
      />
    </div>
  )
}
