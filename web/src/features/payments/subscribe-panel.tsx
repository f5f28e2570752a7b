import { useQuery } from '@tanstack/react-query'
import { refusalMessage } from '@tradepost/contract/errors'
import type { TraderProfile } from '@tradepost/contract/traders'
import { webPaths } from '@tradepost/contract/web-paths'
import type { ReactNode } from 'react'
import { messageOf } from '../../lib/api-refusal.ts'
import { useGoBack } from '../../lib/router.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, CardContent } from '../../ui/card.tsx'
import type { Elements } from '../../ui/elements.ts'
import { ErrorPanel } from '../../ui/error-panel.tsx'
import { CheckoutCard } from './checkout-card.tsx'
import { customerQuery, subscriptionCheckQuery } from './payments.api.ts'
import { SubscribeSkeleton } from './subscribe-skeleton.tsx'

type SubscribePanelProps = {
  username: string
  profile: Pick<TraderProfile, 'isSelf' | 'isSubscribed' | 'canSubscribe' | 'priceCents' | 'currency'>
  /** What stands beside the button. */
  standing: Elements
  /** Called when no checkout could be started: what is known of the viewer may be old. */
  onFailure: () => void
}

/** What the subscribe page says and offers, by who looks (docs/specification.md section 2, decision G-27). */
export function SubscribePanel({ username, profile, standing, onFailure }: SubscribePanelProps) {
  if (profile.isSelf)
    return (
      <Notice>
        <p>{refusalMessage('self_subscription')}</p>
      </Notice>
    )
  if (profile.isSubscribed) return <AlreadySubscribed username={username} />
  if (!profile.canSubscribe) return <AlreadySubscribed username={username} orUnavailable />
  return <Offer username={username} profile={profile} standing={standing} onFailure={onFailure} />
}

/**
 * Also said where nobody can subscribe: the specification has one text for both, so a second one says what else it can
 * be. A person who left a checkout when the trader lost their payouts sees it too.
 */
function AlreadySubscribed({ username, orUnavailable }: { username: string; orUnavailable?: true }) {
  const goBack = useGoBack(webPaths.trader(username))
  return (
    <Notice>
      <p>{refusalMessage('already_subscribed')}</p>
      {orUnavailable && (
        <p className="text-sm text-muted-foreground wrap-anywhere">
          {`If you are not, @${username} takes no new subscribers at the moment, and nothing has been charged.`}
        </p>
      )}
      <Button variant="outline" onClick={goBack}>
        Go back
      </Button>
    </Notice>
  )
}

function Notice({ children }: { children: ReactNode }) {
  return (
    <Card>
      <CardContent className="flex flex-col items-start gap-5">{children}</CardContent>
    </Card>
  )
}

/** The profile may be ten minutes old; the check is fresher, and lets the server look at a checkout that was left. */
function Offer({ username, profile, standing, onFailure }: SubscribePanelProps) {
  const customer = useQuery(customerQuery)
  const check = useQuery(subscriptionCheckQuery(username))
  if (check.data?.subscribed) return <AlreadySubscribed username={username} />
  if (customer.data === undefined && customer.isError) {
    return <ErrorPanel message={messageOf(customer.error)} onRetry={() => void customer.refetch()} />
  }
  // A check that fails is tried again behind the scenes: without it the page is as good as its profile.
  const checking = check.isPending && check.failureCount === 0
  if (customer.data === undefined || checking) return <SubscribeSkeleton />
  return (
    <CheckoutCard
      username={username}
      configured={customer.data.configured}
      priceCents={profile.priceCents}
      currency={profile.currency}
      standing={standing}
      onFailure={onFailure}
    />
  )
}
