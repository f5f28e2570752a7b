import type { TraderProfile } from '@tradepost/contract/traders'
import { formatTrial } from '@tradepost/contract/trial'
import { webPaths } from '@tradepost/contract/web-paths'
import { useNavigate } from '../../lib/router.tsx'
import { Button } from '../../ui/button.tsx'
import { TraderPrice } from './trader-price.tsx'
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
  const { trialDays } = profile
  if (text !== 'Subscribe')
    return (
      <Button variant="outline" size="sm" disabled aria-describedby={reasonId} className={QUIET}>
        {text}
      </Button>
    )
  return (
    <div data-slot="subscribe-bar" className={BAR}>
      <div className="min-w-0 text-sm text-muted-foreground tabular-nums docked:mr-auto">
        <p className="flex flex-col">
          <TraderPrice
            trader={profile}
            monthly="docked:font-medium docked:text-foreground"
            yearly="docked:text-[0.8125rem] docked:leading-4"
          />
        </p>
        {trialDays !== undefined && (
          <p className="whitespace-nowrap docked:text-[0.8125rem] docked:leading-4">
            {formatTrial(trialDays)}
          </p>
        )}
        {trialDays === undefined && (
          <TraderStanding trader={profile} className="sm:hidden docked:text-[0.8125rem] docked:leading-4" />
        )}
      </div>
      <Button onClick={() => navigate(webPaths.subscribe(username))}>{text}</Button>
    </div>
  )
}

/** A button that nobody can press says something; it need not be found by a finger. */
const QUIET = 'h-9 bg-transparent font-normal'

/** On a phone it is a bar that stays in sight at the lower edge of the window (styles.css keeps its place below the content). */
const BAR =
  'flex items-center gap-4 print:hidden docked:fixed docked:inset-x-0 docked:bottom-0 docked:z-30 docked:h-(--docked-bar) docked:border-t docked:border-border docked:bg-background docked:px-4 docked:pb-[env(safe-area-inset-bottom)] max-sm:w-full max-sm:justify-between'

/** The four texts, in the order of precedence of rule G-27. */
export function subscribeText(
  profile: Pick<TraderProfile, 'isSelf' | 'isSubscribed' | 'canSubscribe'>,
): string {
  if (profile.isSelf) return 'You cannot subscribe to yourself'
  if (profile.isSubscribed) return 'Subscribed!'
  return profile.canSubscribe ? 'Subscribe' : 'Subscribing not available'
}
