import { webPaths } from '@tradepost/contract/web-paths'
import { HowItWorks } from '../features/landing/how-it-works.tsx'
import { Pitches } from '../features/landing/pitches.tsx'
import { ProductSample } from '../features/landing/product-sample.tsx'
import { Link } from '../lib/router.tsx'
import { Button } from '../ui/button.tsx'
import { ThemeMenu } from '../ui/theme-menu.tsx'
import { Wordmark } from '../ui/wordmark.tsx'

/**
 * / for visitors: what this is, the two buttons, the product itself (docs/specification.md sections 1 and 2). Also drawn at
 * build time into the document of /, so it may use no session, no storage and no inline style.
 */
export function LandingScreen() {
  return (
    <div className="mx-auto w-full max-w-[1080px] px-6">
      <header className="flex h-16 items-center gap-2">
        <Wordmark withMark className="mr-auto" />
        <ThemeMenu />
        <Button asChild variant="ghost" className="min-w-0">
          <Link to={webPaths.login}>Login</Link>
        </Button>
      </header>
      <main tabIndex={-1} className="outline-none">
        <section className="grid items-center gap-x-12 gap-y-10 py-10 sm:py-16 lg:grid-cols-[1.05fr_1fr] lg:py-24">
          <div>
            <h1 className="text-4xl leading-[1.08] font-semibold tracking-[-0.03em] text-balance sm:text-5xl lg:text-[3.5rem]">
              Follow traders by what they really achieved
            </h1>
            <p className="mt-5 max-w-[34rem] text-lg text-pretty text-muted-foreground">
              Traders publish every stock position when they open it and when they close it, at a market price
              they cannot type in themselves. Subscribe to those you trust, and each move comes to you by
              e-mail.
            </p>
            <div className="mt-8">
              <Button asChild size="lg">
                <Link to={webPaths.login}>Get started</Link>
              </Button>
              <p className="mt-3 text-sm text-muted-foreground">
                Free to join. No password, only your e-mail.
              </p>
            </div>
          </div>
          <ProductSample />
        </section>
        <Pitches />
        <HowItWorks />
      </main>
      <footer className="border-t border-border py-10 text-sm text-muted-foreground">
        <p className="max-w-[48rem] text-pretty">
          <strong className="font-medium text-foreground">Risk.</strong> Positions are the opinions of the
          people who publish them, not advice to you. Past gains promise nothing, and you can lose money.
          Tradepost shows what was published, when, and at what price; it does not trade for you and does not
          check what anybody holds.
        </p>
      </footer>
    </div>
  )
}
