import { useQuery } from '@tanstack/react-query'
import type { Account } from '@tradepost/contract/accounts'
import { webPaths } from '@tradepost/contract/web-paths'
import { Check, ChevronRight, Circle } from 'lucide-react'
import { payoutStatusQuery } from '../features/payments/payout-status.api.ts'
import { OfferedTraders } from '../features/traders/offered-traders.tsx'
import { profileQuery } from '../features/traders/traders.api.ts'
import { Link } from '../lib/router.tsx'
import { noteWayBack } from '../lib/way-back.ts'
import { Card, CardContent, CardHeader, CardTitle } from '../ui/card.tsx'
import { ErrorBoundary } from '../ui/error-boundary.tsx'

/** Below an empty list of positions: the two ways to fill it, side by side and of equal weight (rule G-113). */
export function FirstRun({ account }: { account: Account }) {
  const steps = useSteps(account)
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <ErrorBoundary>
        <FollowCard />
      </ErrorBoundary>
      <ErrorBoundary>
        <PublishCard steps={steps} />
      </ErrorBoundary>
    </div>
  )
}

function FollowCard() {
  return (
    <Card aria-labelledby="first-run-follow">
      <CardHeader>
        <CardTitle id="first-run-follow">Follow somebody</CardTitle>
        <p className="text-sm text-muted-foreground">Every open and every close comes by mail, at once.</p>
      </CardHeader>
      <CardContent className="space-y-3">
        {/* The place of three, also where there are fewer. */}
        <div className="min-h-48">
          <OfferedTraders />
        </div>
        <Link to={webPaths.leaderboard} className={LINK}>
          All traders
        </Link>
      </CardContent>
    </Card>
  )
}

const LINK =
  'inline-flex min-h-11 items-center rounded-sm text-sm font-medium underline underline-offset-4 outline-none focus-visible:ring-2 focus-visible:ring-ring sm:min-h-0'

type Step = {
  label: string
  /** In one line, under the label. */
  why: string
  done: boolean
  to: string
}

function PublishCard({ steps }: { steps: readonly Step[] }) {
  const done = steps.filter((step) => step.done).length
  return (
    <Card aria-labelledby="first-run-publish">
      <CardHeader>
        <CardTitle id="first-run-publish">Publish yourself</CardTitle>
        <p className="text-sm text-muted-foreground">The market sets the prices, and followers pay you.</p>
      </CardHeader>
      <CardContent className="space-y-3">
        <ol className="-mx-3">
          {steps.map((step) => (
            <li key={step.label}>
              <StepRow step={step} />
            </li>
          ))}
        </ol>
        <p className="text-sm text-muted-foreground tabular-nums">{`${done} of ${steps.length} done`}</p>
      </CardContent>
    </Card>
  )
}

const ROW = 'flex min-h-16 items-center gap-3 rounded-lg px-3'

/** A step that is done leads nowhere. */
function StepRow({ step }: { step: Step }) {
  const { done, label, to, why } = step
  const words = (
    <span className="min-w-0 flex-1">
      <span className="block font-medium">{label}</span>
      <span className="block text-[0.8125rem] leading-4.5 text-muted-foreground">{done ? 'Done' : why}</span>
    </span>
  )
  if (done) {
    return (
      <div className={ROW}>
        <Check aria-hidden="true" className="mx-1 size-5 shrink-0 text-foreground" />
        {words}
      </div>
    )
  }
  return (
    <Link
      to={to}
      className={`${ROW} outline-none hover:bg-accent focus-visible:ring-2 focus-visible:ring-ring`}
      onClick={() => to === webPaths.account && noteWayBack(webPaths.home)}
    >
      <Circle aria-hidden="true" className="mx-1 size-5 shrink-0 text-muted-foreground" />
      {words}
      <ChevronRight aria-hidden="true" className="size-4 shrink-0 text-muted-foreground" />
    </Link>
  )
}

/** The three steps to being followed, as far as they are known to be done. */
function useSteps({ trader, username }: Account): Step[] {
  const isNamed = username !== ''
  const profile = useQuery({ ...profileQuery(username), enabled: isNamed }).data
  const payouts = useQuery({ ...payoutStatusQuery, enabled: trader }).data
  const published = profile !== undefined && profile.openPositions + profile.closedPositions > 0
  return [
    {
      label: 'Set a username',
      why: 'The name that others see and follow',
      done: isNamed,
      to: webPaths.account,
    },
    {
      label: 'Publish your first position',
      why: 'A ticker, its price of now and your reason',
      done: published,
      to: webPaths.trade,
    },
    {
      label: 'Set up payouts',
      why: 'Stripe pays you what your followers pay',
      done: payouts?.onboardComplete === true,
      to: webPaths.payments,
    },
  ]
}
