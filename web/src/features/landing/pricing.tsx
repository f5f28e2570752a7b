import { Check } from 'lucide-react'
import { Card } from '../../ui/card.tsx'

type PricingProps = { price: string; feePercent: string }

/** What it costs, for either side; both figures are the operator's settings. */
export function Pricing({ price, feePercent }: PricingProps) {
  return (
    <section aria-labelledby="price" className="border-t border-border py-14 sm:py-20">
      <h2 id="price" className="text-2xl font-semibold tracking-tight">
        What it costs
      </h2>
      <div className="mt-8 grid gap-6 md:grid-cols-2">
        <Offer
          title="To follow a trader"
          amount={price}
          unit="a month, for each trader"
          points={[
            'Each open position, and an e-mail at each open and close',
            'Paid by card through Stripe',
            'Cancel whenever you like; it runs to the end of the month',
          ]}
        />
        <Offer
          title="To publish"
          amount="Free"
          unit={`and ${feePercent} % of what followers pay stays with us`}
          points={[
            'A public record from the first closed position on',
            'The rest of each payment goes to you, through Stripe',
            'Publish without followers for as long as you like',
          ]}
        />
      </div>
    </section>
  )
}

type OfferProps = { title: string; amount: string; unit: string; points: readonly string[] }

function Offer({ title, amount, unit, points }: OfferProps) {
  return (
    <Card className="p-6">
      <h3 className="font-semibold">{title}</h3>
      <p className="mt-3 flex flex-wrap items-baseline gap-x-2">
        <span className="text-3xl font-semibold tracking-tight tabular-nums">{amount}</span>
        <span className="text-muted-foreground">{unit}</span>
      </p>
      <ul className="mt-5 space-y-2 text-muted-foreground">
        {points.map((point) => (
          <li key={point} className="flex gap-3">
            <Check aria-hidden="true" className="mt-1 size-4 shrink-0 text-primary" />
            <span className="text-pretty">{point}</span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
