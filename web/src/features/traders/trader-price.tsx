import { priceTexts } from '@tradepost/contract/price-parts'
import type { TraderProfile } from '@tradepost/contract/traders'
import { settings } from '../../lib/settings.ts'
import { cn } from '../../ui/cn.ts'

type TraderPriceProps = {
  trader: Pick<TraderProfile, 'priceCents' | 'yearlyCents' | 'currency'>
  /** Of the price of a month, which is read first. */
  monthly?: string
  /** Of the price of a year, beside it. */
  yearly?: string
}

/** The price of following a trader for a month, and for a year where that is offered; nothing where none is known. */
export function TraderPrice({ trader, ...look }: TraderPriceProps) {
  const [monthly, yearly] = priceTexts(trader)
  if (monthly === undefined) return null
  return (
    <>
      <span translate="no" className={cn('whitespace-nowrap tabular-nums', look.monthly)}>
        {monthly}
      </span>
      {yearly !== undefined && (
        <span className={cn('whitespace-nowrap tabular-nums', look.yearly)}>
          <span>{'or '}</span>
          <span translate="no">{yearly}</span>
        </span>
      )}
      {settings.taxLiable && <span className="text-sm text-muted-foreground">tax included</span>}
    </>
  )
}
