import { useQuery, useQueryClient } from '@tanstack/react-query'
import { isUsername } from '@tradepost/contract/username'
import { webPaths } from '@tradepost/contract/web-paths'
import { useCallback } from 'react'
import { accountQuery } from '../features/account/account.api.ts'
import { PaymentConfirmation } from '../features/payments/payment-confirmation.tsx'
import {
  customerQuery,
  subscriptionCheckQuery,
  subscriptionsQuery,
} from '../features/payments/payments.api.ts'
import { TrialRefused } from '../features/payments/trial-refused.tsx'
import { positionsQuery } from '../features/positions/positions.api.ts'
import { profileQuery } from '../features/traders/traders.api.ts'
import { makeStale } from '../lib/query-client.ts'
import { Link, useNavigate, useSearchParams } from '../lib/router.tsx'
import { Button, buttonLook } from '../ui/button.tsx'

const PAGE = 'mx-auto flex max-w-md flex-col items-center gap-4 py-[10vh] text-center'

/** /payment/success: three sentences, to the letter (docs/specification.md section 2, rule G-69), and what is true. Others where free days were refused. */
export function PaymentSuccessScreen() {
  const [parameters] = useSearchParams()
  const trader = parameters.get('trader') ?? ''
  // Anybody can write the address: a text that cannot be a name is neither shown nor asked about.
  const known = isUsername(trader)
  const navigate = useNavigate()
  const refresh = useRefreshAfterPayment(trader)
  // The confirmation below asks; this reads along.
  const { data } = useQuery({ ...subscriptionCheckQuery(trader), enabled: false })
  if (known && data?.trialRefused)
    return (
      <div className={PAGE}>
        <TrialRefused username={trader} />
      </div>
    )
  return (
    <div className={PAGE}>
      <h1 className="text-2xl font-semibold tracking-tight">Success! Your subscription is complete.</h1>
      <p className="text-muted-foreground">
        Active positions for the trader appear on the home page and notifications will start.
      </p>
      <div className="mt-3 flex flex-wrap justify-center gap-3">
        <Button onClick={() => navigate(webPaths.home)}>Go Home</Button>
        {known && (
          <Link
            to={webPaths.trader(trader)}
            {...buttonLook({ variant: 'outline' })}
          >{`View @${trader}`}</Link>
        )}
      </div>
      {/* Below everything: its states differ in height, and nothing may move. */}
      {known && <PaymentConfirmation username={trader} onConfirmed={refresh} />}
    </div>
  )
}

/** All that a new subscription changes (rule G-52). */
function useRefreshAfterPayment(trader: string): () => void {
  const client = useQueryClient()
  return useCallback(() => {
    const changed = [positionsQuery, accountQuery, customerQuery, subscriptionsQuery, profileQuery(trader)]
    for (const { queryKey } of changed) void makeStale(client, queryKey)
  }, [client, trader])
}
