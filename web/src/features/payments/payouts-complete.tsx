import { Alert, AlertDescription } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { openPayoutDashboard } from './payments.api.ts'
import { useNewTab } from './use-new-tab.ts'

/** Payouts are set up; what is paid out, and when, the provider's dashboard tells (docs/specification.md section 4). */
export function PayoutsComplete() {
  const { opening, error, open } = useNewTab()
  return (
    <>
      <div>
        <p className="font-medium">You're all set!</p>
        <p className="text-muted-foreground">
          People can subscribe to you. Payouts are in your Stripe dashboard.
        </p>
      </div>
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
    </>
  )
}
