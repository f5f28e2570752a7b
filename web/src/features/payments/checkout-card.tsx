import { formatMoney } from '@tradepost/contract/money'
import { Alert, AlertDescription } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, CardContent } from '../../ui/card.tsx'
import type { Elements } from '../../ui/elements.ts'
import { startCheckout } from './payments.api.ts'
import { Promises } from './promises.tsx'
import { SandboxMoneyLine } from './sandbox-money-line.tsx'
import { useDeparture } from './use-departure.ts'
import { useReturn } from './use-return.ts'

type CheckoutCardProps = {
  username: string
  /** Whether the viewer's billing is set up; where not, the button does that first. */
  configured: boolean
  /** A month, in cents of `currency`; without them no price is shown. */
  priceCents?: number | undefined
  currency?: string | undefined
  /** What the viewer should know of the trader beside the button. */
  standing: Elements
  onFailure: () => void
}

/** What one gets, for how much, and the way to the checkout (docs/specification.md section 2, decision G-28). */
export function CheckoutCard(props: CheckoutCardProps) {
  const { username, configured, priceCents, currency, standing, onFailure } = props
  const { leavingBy, error, leave } = useDeparture(onFailure)
  const canceled = useReturn('canceled') !== null
  return (
    <Card>
      <CardContent className="space-y-5">
        {priceCents !== undefined && currency !== undefined && (
          <p className="text-3xl font-semibold tracking-tight tabular-nums">
            <span translate="no">{formatMoney(priceCents, currency)}</span>
            <span className="text-base font-normal tracking-normal text-muted-foreground"> a month</span>
          </p>
        )}
        <Promises username={username} />
        <SandboxMoneyLine />
        {canceled && error === null && (
          <p role="status" className="text-sm text-muted-foreground">
            The checkout was canceled. Nothing has been charged.
          </p>
        )}
        {error !== null && (
          <Alert variant="destructive">
            <AlertDescription>{error}</AlertDescription>
          </Alert>
        )}
        <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
          <Button
            size="lg"
            className="w-full sm:w-auto sm:min-w-48"
            loading={leavingBy !== null}
            onClick={() => leave('checkout', () => startCheckout(username, configured))}
          >
            {configured ? 'Continue' : 'Continue on Stripe'}
          </Button>
          {standing}
        </div>
      </CardContent>
    </Card>
  )
}
