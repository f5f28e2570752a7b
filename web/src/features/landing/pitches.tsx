import { BadgeCheck, BellRing, CreditCard, type LucideIcon, MessageSquare, Trophy, Users } from 'lucide-react'

type Pitch = { title: string; text: string; Icon: LucideIcon }

/** The six pitches of the landing page (docs/specification.md section 1). */
const pitches: readonly Pitch[] = [
  {
    title: 'Subscribe to traders',
    text: 'Look at what a trader has closed so far, then follow with a monthly subscription. Cancel whenever you like.',
    Icon: Users,
  },
  {
    title: 'Get notified',
    text: 'The moment a position opens or closes, the ticker, the price and the reasons are in your inbox.',
    Icon: BellRing,
  },
  {
    title: 'Build a track record',
    text: 'Publish your own positions. Prices come from the market, so nobody can say that you made them up.',
    Icon: BadgeCheck,
  },
  {
    title: 'Easy payment integration',
    text: 'Paid through Stripe: subscribers by card, traders straight to their bank account. No invoices to write.',
    Icon: CreditCard,
  },
  {
    title: 'Merit-based leaderboard',
    text: 'Ranked by the average gain of closed positions. Places cannot be bought, and losses count too.',
    Icon: Trophy,
  },
  {
    title: 'Open-door policy',
    text: 'Missing something, or annoyed by it? The feedback form in your account goes to the people who build this.',
    Icon: MessageSquare,
  },
]

export function Pitches() {
  return (
    <section aria-labelledby="pitches" className="border-t border-border py-14 sm:py-20">
      <h2 id="pitches" className="text-2xl font-semibold tracking-tight">
        Published, priced, and there to be checked
      </h2>
      <ul className="mt-8 grid gap-x-10 gap-y-9 sm:grid-cols-2 lg:grid-cols-3">
        {pitches.map(({ title, text, Icon }) => (
          <li key={title}>
            <Icon aria-hidden="true" className="size-5 text-primary" />
            <h3 className="mt-3 font-semibold">{title}</h3>
            <p className="mt-1 text-pretty text-muted-foreground">{text}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}
