import { useQuery } from '@tanstack/react-query'
import type { BillingInterval } from '@tradepost/contract/billing-interval'
import { refusalMessage } from '@tradepost/contract/errors'
import type { TraderProfile } from '@tradepost/contract/traders'
import type { TrialDays } from '@tradepost/contract/trial'
import { webPaths } from '@tradepost/contract/web-paths'
import { type ReactNode, useId, useState } from 'react'
import { messageOf } from '../../lib/api-refusal.ts'
import { Link, useGoBack, useSearchParams } from '../../lib/router.tsx'
import { Alert, AlertDescription } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, CardContent } from '../../ui/card.tsx'
import type { Elements } from '../../ui/elements.ts'
import { ErrorPanel } from '../../ui/error-panel.tsx'
import { BeforePaying } from './before-paying.tsx'
import { DiscountLine } from './discount-line.tsx'
import { EmptyMonthLine } from './empty-month-line.tsx'
import { customerQuery, startCheckout, subscriptionCheckQuery } from './payments.api.ts'
import { Promises } from './promises.tsx'
import { SandboxMoneyLine } from './sandbox-money-line.tsx'
import { SubscribeSkeleton } from './subscribe-skeleton.tsx'
import { TermsChoice, termsOf } from './terms-choice.tsx'
import { TrialLine } from './trial-line.tsx'
import { useDeparture } from './use-departure.ts'
import { useDiscount } from './use-discount.ts'
import { useReturn } from './use-return.ts'

type SubscribePanelProps = {
  username: string
  profile: Pick<
    TraderProfile,
    'isSelf' | 'isSubscribed' | 'canSubscribe' | 'priceCents' | 'yearlyCents' | 'currency'
  >
  /** The trader's record in short, above the price. */
  standing: Elements
  /** Called with the reason when no checkout could be started: what is known of the viewer, or of the trader, may be old. */
  onFailure: (reason: unknown) => void
}

/** The text and the offer of the subscribe page, by viewer (docs/specification.md section 2, rule G-27). */
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
 * Also shown where nobody can subscribe: the specification has one text for both, so a second one names the other possible
 * reason. A person who left a checkout when the trader lost their payouts sees it too.
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
      <div className="flex flex-wrap items-center gap-x-6 gap-y-2">
        <Button variant="outline" onClick={goBack}>
          Go back
        </Button>
        {!orUnavailable && (
          <Link
            to={webPaths.subscriptions}
            className="inline-flex min-h-11 items-center rounded-sm text-sm font-medium underline underline-offset-4 outline-none focus-visible:ring-2 focus-visible:ring-ring sm:min-h-0"
          >
            Cancel or unsubscribe
          </Link>
        )}
      </div>
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
  const [parameters] = useSearchParams()
  const wantsNoTrial = parameters.get('trial') === 'no'
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
      profile={profile}
      trialDays={wantsNoTrial ? null : (check.data?.trialDays ?? null)}
      standing={standing}
      onFailure={(reason) => {
        // The free days may be over since, or off.
        void check.refetch()
        onFailure(reason)
      }}
    />
  )
}

type CheckoutCardProps = {
  username: string
  /** Whether the viewer's billing is set up; where not, the button does that first. */
  configured: boolean
  /** The free days that the viewer would get; null for none. */
  trialDays: TrialDays | null
} & Pick<SubscribePanelProps, 'profile' | 'standing' | 'onFailure'>

/** The benefits, the price, and the way to the checkout (docs/specification.md section 2, rule G-28). */
function CheckoutCard(props: CheckoutCardProps) {
  const { username, configured, profile, standing, trialDays, onFailure } = props
  const [chosen, setChosen] = useState<BillingInterval>('month')
  const terms = termsOf(profile)
  // A year that was chosen may not be offered any more.
  const term = terms.find(({ interval }) => interval === chosen) ?? terms[0]
  const interval = term?.interval ?? 'month'
  const discount = useDiscount(username)
  const applied = interval === 'month' ? discount?.found : undefined
  const code = applied && { discountCode: applied.code }
  const cents = applied?.discountedCents ?? term?.priceCents ?? 0
  const later = term && applied?.months ? { months: applied.months, cents: term.priceCents } : null
  const shown = term ? { interval, priceCents: term.priceCents, ...code } : null
  const { leavingBy, error, leave } = useDeparture(onFailure)
  const canceled = useReturn('canceled') !== null
  const nextId = useId()
  return (
    <Card className="max-w-120">
      <CardContent className="space-y-5">
        {standing}
        <TermsChoice terms={terms} chosen={interval} onChoose={setChosen} />
        {discount && <DiscountLine {...discount} isForMonth={interval === 'month'} />}
        <Promises username={username} />
        {canceled && error === null && (
          <p role="status" className="text-sm text-muted-foreground">
            The checkout was canceled. Nothing has been charged.
          </p>
        )}
        <EmptyMonthLine />
        {term && <TrialLine days={trialDays} price={{ interval, cents, currency: term.currency, later }} />}
        <BeforePaying
          username={username}
          trialDays={trialDays}
          price={
            term && {
              interval,
              currency: term.currency,
              firstCents: cents,
              secondCents: applied?.months === 1 ? term.priceCents : cents,
            }
          }
        />
        <div className="space-y-3">
          {/* Beside the button that was pressed: the page above is longer than a phone. */}
          {error !== null && (
            <Alert variant="destructive">
              <AlertDescription>{error}</AlertDescription>
            </Alert>
          )}
          <Button
            size="lg"
            className="w-full"
            aria-describedby={nextId}
            // A code that is still looked up may take something off.
            loading={leavingBy !== null || discount?.isPending === true}
            onClick={() => leave('checkout', () => startCheckout(username, configured, shown, trialDays))}
          >
            {configured ? 'Continue' : 'Continue on Stripe'}
          </Button>
          <p id={nextId} className="text-sm">
            <span>{'You pay by card at Stripe, where you agree to the '}</span>
            <a
              href={webPaths.terms}
              className="rounded-sm underline underline-offset-4 outline-none focus-visible:ring-2 focus-visible:ring-ring"
            >
              terms
            </a>
            <span>{`. It renews each ${interval}, on the day of the first payment, until you cancel.`}</span>
          </p>
          <SandboxMoneyLine />
        </div>
      </CardContent>
    </Card>
  )
}
