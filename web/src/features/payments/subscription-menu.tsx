import { webPaths } from '@tradepost/contract/web-paths'
import { CreditCard, Ellipsis, List, Mail } from 'lucide-react'
import { Link } from '../../lib/router.tsx'
import { cn } from '../../ui/cn.ts'
import { Menu, menuItem } from '../../ui/menu.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { openPortalFor } from './payments.api.ts'
import { useDeparture } from './use-departure.ts'

const ITEM = cn(menuItem, 'text-left outline-none focus-visible:ring-2 focus-visible:ring-ring')
const ICON = 'size-4 text-muted-foreground'

/** The likely next steps of a trader's follower: that trader's positions, the billing, the mails. */
export function SubscriptionMenu({ username }: { username: string }) {
  const { leavingBy, error, leave } = useDeparture()
  return (
    <Menu label="Your subscription" variant="outline" icon={<Ellipsis aria-hidden="true" />}>
      <Link to={webPaths.followedPositions} className={ITEM}>
        <List aria-hidden="true" className={ICON} />
        <span>Their positions</span>
      </Link>
      <button type="button" className={ITEM} onClick={() => leave('billing', () => openPortalFor(username))}>
        {leavingBy === null ? (
          <CreditCard aria-hidden="true" className={ICON} />
        ) : (
          <Spinner className={ICON} />
        )}
        <span>Billing</span>
      </button>
      <Link to={webPaths.subscriptions} className={ITEM}>
        <Mail aria-hidden="true" className={ICON} />
        <span>Mails</span>
      </Link>
      {error !== null && (
        <p role="alert" className="max-w-60 px-3 py-2 text-sm text-destructive">
          {error}
        </p>
      )}
    </Menu>
  )
}
