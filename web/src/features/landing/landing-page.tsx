import { RISK_SENTENCE } from '@tradepost/contract/risk'
import { webPaths } from '@tradepost/contract/web-paths'
import {
  BadgeCheck,
  BellRing,
  Check,
  CreditCard,
  type LucideIcon,
  MessageSquare,
  Trophy,
  Users,
} from 'lucide-react'
import { Link } from '../../lib/router.tsx'
import { buttonLook } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import type { Elements } from '../../ui/elements.ts'
import { ThemeMenu } from '../../ui/theme-menu.tsx'
import { Wordmark } from '../../ui/wordmark.tsx'
import { PageFooter } from './page-footer.tsx'

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

type Path = { title: string; steps: readonly string[] }

const paths: readonly Path[] = [
  {
    title: 'If you want to follow',
    steps: [
      'Find a trader on the leaderboard, or search for a name.',
      'Look at the closed positions and the average gain, and subscribe.',
      'Get an e-mail at every open and every close. What you do with it is up to you.',
    ],
  },
  {
    title: 'If you trade',
    steps: [
      'Pick a username. It is shown above your record and cannot be changed.',
      'Check the price, say how long you plan to hold and why, and open the position.',
      'Close it with your reasons. Your gain goes into your record, and your followers know.',
    ],
  },
]

type LandingPageProps = {
  /** The monthly price of following a trader who names none, such as `$10.00`. */
  price: string
  /** Behind it, `, tax included`; empty where no tax is computed. */
  taxWords: string
  /** The platform's share of each payment, in percent. */
  feePercent: string
  /** The product itself, beside the headline; it may go on below both. */
  board: Elements
}

/**
 * The landing page: what this is, the two buttons, the product itself (docs/specification.md sections 1 and 2). Also drawn at
 * build time into the document of /, so it may use no session, no storage and no inline style.
 */
export function LandingPage({ price, taxWords, feePercent, board }: LandingPageProps) {
  return (
    <>
      <div className="mx-auto w-full max-w-[1080px] px-6">
        <header className="flex h-16 items-center gap-2">
          <Wordmark withMark className="mr-auto" />
          <ThemeMenu />
          <Link to={webPaths.login} {...buttonLook({ variant: 'ghost', className: 'min-w-0' })}>
            Login
          </Link>
        </header>
        <main tabIndex={-1} className="outline-none">
          <section className="grid items-center gap-x-12 gap-y-10 py-10 sm:py-16 lg:grid-cols-[1.05fr_1fr] lg:py-24">
            <div>
              <h1 className="text-4xl leading-[1.08] font-semibold tracking-[-0.03em] text-balance sm:text-5xl lg:text-[3.5rem]">
                Follow traders by what they really achieved
              </h1>
              <p className="mt-5 max-w-[34rem] text-lg text-pretty text-muted-foreground">
                Traders publish every stock position when they open it and when they close it, at a market
                price they cannot type in themselves. Subscribe to those you trust, and each move comes to you
                by e-mail.
              </p>
              <div className="mt-8">
                <Link to={webPaths.login} {...buttonLook({ size: 'lg' })}>
                  Get started
                </Link>
                <p className="mt-3 text-sm text-muted-foreground">
                  Free to join. No password, only your e-mail.
                </p>
              </div>
            </div>
            {board}
          </section>
          <Pitches />
          <HowItWorks />
          <Pricing price={price} taxWords={taxWords} feePercent={feePercent} />
          <ClosingCall />
        </main>
      </div>
      <PageFooter>
        <p className="max-w-[48rem] pt-10 pb-4 text-pretty">
          <strong className="font-medium text-foreground">{'Risk. '}</strong>
          <span>
            {`${RISK_SENTENCE} Positions are the opinions of the people who publish them. Tradepost shows what was published, when, and at what price; it does not trade for you and does not check what anybody holds.`}
          </span>
        </p>
      </PageFooter>
    </>
  )
}

function ClosingCall() {
  return (
    <section aria-labelledby="join" className="border-t border-border py-14 text-center sm:py-20">
      <h2 id="join" className="text-3xl font-semibold tracking-tight text-balance">
        See who is right, and how often
      </h2>
      <p className="mx-auto mt-3 max-w-[34rem] text-pretty text-muted-foreground">
        The leaderboard and every record are free to read. You need an e-mail address and nothing else.
      </p>
      <Link to={webPaths.login} {...buttonLook({ size: 'lg', className: 'mt-7' })}>
        Join with your e-mail
      </Link>
    </section>
  )
}

/** How it works, in three steps for either side. */
function HowItWorks() {
  return (
    <section aria-labelledby="steps" className="border-t border-border py-14 sm:py-20">
      <h2 id="steps" className="text-2xl font-semibold tracking-tight">
        How it works
      </h2>
      <div className="mt-8 grid gap-10 md:grid-cols-2">
        {paths.map(({ title, steps }) => (
          <div key={title}>
            <h3 className="font-semibold">{title}</h3>
            <ol className="mt-4 space-y-4">
              {steps.map((step, index) => (
                <li key={step} className="flex gap-4">
                  <span
                    aria-hidden="true"
                    className="flex size-7 shrink-0 items-center justify-center rounded-full border border-border text-sm text-muted-foreground tabular-nums"
                  >
                    {index + 1}
                  </span>
                  <span className="pt-0.5 text-pretty text-muted-foreground">{step}</span>
                </li>
              ))}
            </ol>
          </div>
        ))}
      </div>
    </section>
  )
}

function Pitches() {
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

type PricingProps = { price: string; taxWords: string; feePercent: string }

/** The price for either side; both figures are the operator's settings. */
function Pricing({ price, taxWords, feePercent }: PricingProps) {
  return (
    <section aria-labelledby="price" className="border-t border-border py-14 sm:py-20">
      <h2 id="price" className="text-2xl font-semibold tracking-tight">
        What it costs
      </h2>
      <div className="mt-8 grid gap-6 md:grid-cols-2">
        <Offer
          title="To follow a trader"
          amount={price}
          unit={`a month${taxWords}, for each trader who names no other price`}
          points={[
            'Each open position, and an e-mail at each open and close',
            'Paid by card through Stripe: by the month or, where a trader offers it, by the year',
            'Cancel whenever you like; it runs to the end of what you have paid for',
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
