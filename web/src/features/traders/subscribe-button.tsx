import { formatMonthlyPrice } from '@tradepost/contract/money'
import type { TraderProfile } from '@tradepost/contract/traders'
import { webPaths } from '@tradepost/contract/web-paths'
import { useNavigate } from '../../lib/router.tsx'
import { Button } from '../../ui/button.tsx'
import { TraderStanding } from './trader-standing.tsx'

type SubscribeButtonProps = {
  username: string
  profile: TraderProfile
  /** The element that explains why there is nothing to press. */
  reasonId: string
}

/** The way to the subscribe page with its price, or why there is none; only the first can be pressed (docs/specification.md section 2). */
export function SubscribeButton({ username, profile, reasonId }: SubscribeButtonProps) {
  const navigate = useNavigate()
  const text = subscribeText(profile)
  const { priceCents, currency } = profile
  return (
    <>
      {text === 'Subscribe' && (
        <div className="flex flex-wrap justify-between gap-x-3 max-sm:w-full sm:flex-col sm:text-right">
          {priceCents !== undefined && currency !== undefined && (
            <p translate="no" className="text-sm whitespace-nowrap text-muted-foreground tabular-nums">
              {formatMonthlyPrice(priceCents, currency)}
            </p>
          )}
          <TraderStanding trader={profile} />
        </div>
      )}
      <Button
        disabled={text !== 'Subscribe'}
        aria-describedby={text === 'Subscribe' ? undefined : reasonId}
        onClick={() => navigate(webPaths.subscribe(username))}
      >
        {text}
      </Button>
    </>
  )
}

/** The four texts, in the order of precedence of rule G-27. */
export function subscribeText(
  profile: Pick<TraderProfile, 'isSelf' | 'isSubscribed' | 'canSubscribe'>,
): string {
  if (profile.isSelf) return 'You cannot subscribe to yourself'
  if (profile.isSubscribed) return 'Subscribed!'
  return profile.canSubscribe ? 'Subscribe' : 'Subscribing not available'
}
