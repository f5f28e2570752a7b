import { Alert, AlertDescription } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { DiscountCodes } from './discount-codes.tsx'
import { openPayoutDashboard } from './payments.api.ts'
import { useNewTab } from './use-new-tab.ts'
import { YourPrice } from './your-price.tsx'

/** Payouts are set up; the provider's dashboard shows what is paid out, and when (docs/specification.md section 4). */
export function PayoutsComplete({ taxMissing, username }: { username: string; taxMissing: boolean }) {
  const { opening, error, open } = useNewTab()
  return (
    <>
      {taxMissing ? (
        <div>
          <p className="font-medium">One step is left: your tax settings</p>
          <p className="text-muted-foreground">
            Nobody new can subscribe until your place of business is in the tax settings of your Stripe
            dashboard. You owe the tax of what your followers pay: add the places where you are registered
            too.
          </p>
        </div>
      ) : (
        <div>
          <p className="font-medium">You're all set!</p>
          <p className="text-muted-foreground">
            People can subscribe to you. Payouts are in your Stripe dashboard.
          </p>
        </div>
      )}
      {error !== null && (
        <Alert variant="destructive">
          <AlertDescription>{error}</AlertDescription>
        </Alert>
      )}
      <Button
        variant="outline"
        title="Opens in a new tab"
        loading={opening}
        onClick={() => open(openPayoutDashboard)}
      >
        Stripe Dashboard
      </Button>
      <YourPrice />
      <DiscountCodes username={username} />
    </>
  )
}
