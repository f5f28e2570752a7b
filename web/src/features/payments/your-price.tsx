import { useQuery } from '@tanstack/react-query'
import { formatMoney } from '@tradepost/contract/money'
import type { OwnPrices } from '@tradepost/contract/subscription-price'
import { useId } from 'react'
import { messageOf } from '../../lib/api-refusal.ts'
import { FieldError } from '../../ui/field-error.tsx'
import { RefreshFailure } from '../../ui/refresh-failure.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { EmptyMonthNote } from './empty-month-line.tsx'
import { FollowersPrice } from './followers-price.tsx'
import { PriceForm } from './price-form.tsx'
import { pricesQuery, useSetPrices } from './prices.api.ts'
import { TrialChoice } from './trial-choice.tsx'

/** Account > Payments, once payouts are complete: what following this trader costs (rule G-28). */
export function YourPrice() {
  const { data, error, isError, refetch } = useQuery(pricesQuery)
  const title = useId()
  return (
    <section aria-labelledby={title} className="space-y-4 border-t border-border pt-4">
      <div className="space-y-1">
        <h3 id={title} className="text-sm font-medium">
          Your price
        </h3>
        <p className="text-sm text-muted-foreground">
          It counts for new followers. People who follow you already get a lower price with their next
          renewal, and a higher one only if they agree.
        </p>
        <EmptyMonthNote />
        {data?.isDefault && <p className="text-sm text-muted-foreground">{untilNamed(data)}</p>}
        {data && <FollowersPrice prices={data} />}
      </div>
      {data && <PriceForm prices={data} />}
      {data && <TrialPart prices={data} />}
      {data === undefined && isError && (
        <RefreshFailure message={messageOf(error)} onRetry={() => void refetch()} />
      )}
      {data === undefined && !isError && <PriceSkeleton />}
    </section>
  )
}

/** Set at once, without the prices: those of this page may not be the newest, and one that is being typed stays as it is. */
function TrialPart({ prices }: { prices: OwnPrices }) {
  const { error, isError, isPending, mutate, variables } = useSetPrices()
  const value =
    isPending && variables.trialDays !== undefined ? variables.trialDays : (prices.trialDays ?? null)
  return (
    <div className="space-y-2">
      <TrialChoice value={value} onChange={(trialDays) => mutate({ currency: prices.currency, trialDays })} />
      <FieldError>{isError ? messageOf(error) : null}</FieldError>
    </div>
  )
}

function untilNamed({ currency, monthlyCents }: OwnPrices): string {
  return `Until you name a price, a month costs ${formatMoney(monthlyCents, currency)}, as with every trader who has named none.`
}

function PriceSkeleton() {
  return (
    <div role="status" aria-label="Loading your price" aria-busy="true" className="space-y-4">
      <Skeleton className="h-20 max-w-60" />
      <Skeleton className="h-11 w-full sm:h-6" />
      <Skeleton className="h-5 w-full max-w-sm" />
      <Skeleton className="h-11 w-20 sm:h-9" />
    </div>
  )
}
