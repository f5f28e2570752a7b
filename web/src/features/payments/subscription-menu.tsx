import { webPaths } from '@tradepost/contract/web-paths'
import { CircleX, CreditCard, Ellipsis, List, MailX } from 'lucide-react'
import { Link } from '../../lib/router.tsx'
import { cn } from '../../ui/cn.ts'
import { Menu, menuItem } from '../../ui/menu.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { openPortal, openPortalFor } from './payments.api.ts'
import { useDeparture } from './use-departure.ts'

const ITEM = cn(menuItem, 'text-left outline-none focus-visible:ring-2 focus-visible:ring-ring')
const ICON = 'size-4 text-muted-foreground'

/** The likely next steps of a trader's follower: the positions, the billing, and each way out under its own word. */
export function SubscriptionMenu({ username }: { username: string }) {
  const { leavingBy, error, leave } = useDeparture()
  return (
    <Menu label="Your subscription" variant="outline" icon={<Ellipsis aria-hidden="true" />}>
      <Link to={webPaths.followedPositionsOf(username)} className={ITEM}>
        <List aria-hidden="true" className={ICON} />
        <span>Their positions</span>
      </Link>
      <button type="button" className={ITEM} onClick={() => leave('billing', () => openPortal())}>
        {leavingBy === 'billing' ? (
          <Spinner className={ICON} />
        ) : (
          <CreditCard aria-hidden="true" className={ICON} />
        )}
        <span>Billing</span>
      </button>
      <Link to={webPaths.subscriptions} className={ITEM}>
        <MailX aria-hidden="true" className={ICON} />
        <span>Unsubscribe from mails</span>
      </Link>
      <button type="button" className={ITEM} onClick={() => leave('cancel', () => openPortalFor(username))}>
        {leavingBy === 'cancel' ? (
          <Spinner className={ICON} />
        ) : (
          <CircleX aria-hidden="true" className={ICON} />
        )}
        <span>Cancel subscription</span>
      </button>
      {error !== null && (
        <p role="alert" className="max-w-60 px-3 py-2 text-sm text-destructive">
          {error}
        </p>
      )}
    </Menu>
  )
}
