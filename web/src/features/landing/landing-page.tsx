import { webPaths } from '@tradepost/contract/web-paths'
import { Link } from '../../lib/router.tsx'
import { buttonLook } from '../../ui/button.tsx'
import { ThemeMenu } from '../../ui/theme-menu.tsx'
import { Wordmark } from '../../ui/wordmark.tsx'
import { HowItWorks } from './how-it-works.tsx'
import { PageFooter } from './page-footer.tsx'
import { Pitches } from './pitches.tsx'
import { Pricing } from './pricing.tsx'
import { ProductSample } from './product-sample.tsx'

type LandingPageProps = {
  /** What following a trader costs a month, such as `$10.00`. */
  price: string
  /** What the platform keeps of each payment, in percent. */
  feePercent: string
}

/**
 * The landing page: what this is, the two buttons, the product itself (docs/specification.md sections 1 and 2). Also drawn at
 * build time into the document of /, so it may use no session, no storage and no inline style.
 */
export function LandingPage({ price, feePercent }: LandingPageProps) {
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
            <ProductSample />
          </section>
          <Pitches />
          <HowItWorks />
          <Pricing price={price} feePercent={feePercent} />
          <ClosingCall />
        </main>
      </div>
      <PageFooter>
        <p className="max-w-[48rem] pt-10 pb-4 text-pretty">
          <strong className="font-medium text-foreground">{'Risk. '}</strong>
          <span>
            Positions are the opinions of the people who publish them, not advice to you. Past gains promise
            nothing, and you can lose money. Tradepost shows what was published, when, and at what price; it
            does not trade for you and does not check what anybody holds.
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
