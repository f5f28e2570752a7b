import type { BillingInterval } from '@tradepost/contract/billing-interval'
import { formatMoney } from '@tradepost/contract/money'
import { savedByYear } from '@tradepost/contract/price-parts'
import { withTaxWords } from '@tradepost/contract/tax-words'
import type { TraderProfile } from '@tradepost/contract/traders'
import { useId } from 'react'
import { settings } from '../../lib/settings.ts'
import { cn } from '../../ui/cn.ts'

/** A price that one can choose. `saves`: by how much it is cheaper than the months of it, in words; null where it is not. */
type Term = { interval: BillingInterval; priceCents: number; currency: string; saves: string | null }

/** The month first, and the year where the trader offers it; none where no price is known. Amounts in cents of `currency`. */
export function termsOf({
  currency,
  priceCents,
  yearlyCents,
}: Pick<TraderProfile, 'priceCents' | 'yearlyCents' | 'currency'>): Term[] {
  if (priceCents === undefined || currency === undefined) return []
  const month: Term = { interval: 'month', priceCents, currency, saves: null }
  if (yearlyCents === undefined) return [month]
  const saved = savedByYear({ monthlyCents: priceCents, yearlyCents })
  const saves = saved && `Saves ${formatMoney(saved.cents, currency)}, ${saved.percent} %`
  return [month, { interval: 'year', priceCents: yearlyCents, currency, saves }]
}

type TermsChoiceProps = {
  terms: readonly Term[]
  chosen: BillingInterval
  onChoose: (interval: BillingInterval) => void
}

/** The price; where there are two, a choice of them. */
export function TermsChoice({ chosen, onChoose, terms }: TermsChoiceProps) {
  const name = useId()
  if (terms.length < 2)
    return terms.map((term) => (
      <p key={term.interval} className="text-3xl">
        <Price {...term} />
      </p>
    ))
  return (
    <fieldset className="space-y-2">
      <legend className="sr-only">How often you pay</legend>
      {terms.map(({ saves, ...term }) => (
        <label
          key={term.interval}
          className={cn(
            'flex cursor-pointer items-center gap-3 rounded-lg border border-border p-3',
            'has-[:checked]:border-foreground has-[:focus-visible]:ring-2 has-[:focus-visible]:ring-ring',
          )}
        >
          <input
            type="radio"
            name={name}
            value={term.interval}
            checked={term.interval === chosen}
            className="size-4 shrink-0 accent-foreground outline-none"
            onChange={() => onChoose(term.interval)}
          />
          <span className="flex min-w-0 flex-1 flex-wrap items-baseline justify-between gap-x-3">
            <span className="text-2xl">
              <Price {...term} />
            </span>
            {saves !== null && <span className="text-sm text-muted-foreground tabular-nums">{saves}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  )
}

function Price({ currency, interval, priceCents }: Omit<Term, 'saves'>) {
  return (
    <span className="font-semibold tracking-tight tabular-nums">
      <span translate="no">{formatMoney(priceCents, currency)}</span>
      <span className="text-base font-normal tracking-normal text-muted-foreground">
        {withTaxWords(` a ${interval}`, settings.taxLiable)}
      </span>
    </span>
  )
}
