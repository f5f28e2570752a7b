import { BOARD_ELEMENT_ID, BOARD_PLACE } from '@tradepost/contract/landing-board'
import { webPaths } from '@tradepost/contract/web-paths'
import { renderToStaticMarkup, renderToString } from 'react-dom/server'
import { VisitorFrame } from '../app/visitor-frame.tsx'
import { LandingPage } from '../features/landing/landing-page.tsx'
import { PageFooter } from '../features/landing/page-footer.tsx'
import { ProductSample } from '../features/landing/product-sample.tsx'
import { EmailStep } from '../features/session/email-step.tsx'
import { LoginFrame } from '../features/session/login-frame.tsx'
import { FixedRouter, Link } from '../lib/router.tsx'
import { buttonLook } from '../ui/button.tsx'
import { PublicFrame } from './public-frame.tsx'

export { renderRecordPage, renderVerifyPage } from './record-pages.tsx'

/**
 * The landing page as HTML, for the document of / (rule G-81). Runs at build time; the server puts price and fee in the
 * place of the two words, and the board in the place of the sample.
 */
export function renderLanding(): string {
  const page = renderToString(
    <FixedRouter path={webPaths.home}>
      <LandingPage
        price="__PRICE__"
        taxWords="__TAX_WORDS__"
        feePercent="__FEE_PERCENT__"
        board={
          <div id={BOARD_ELEMENT_ID} className="contents">
            __BOARD__
          </div>
        }
      />
    </FixedRouter>,
  )
  // React writes no comments.
  const sample = BOARD_PLACE.begin + renderToStaticMarkup(<ProductSample />) + BOARD_PLACE.end
  return page.replace('__BOARD__', () => sample)
}

/** A page of text, such as the terms; the server puts the text in the place of the word. Runs at build time. */
export function renderTextPage(): string {
  return renderToString(
    <FixedRouter path="">
      <VisitorFrame>
        <article className="written mx-auto max-w-[44rem]">__TEXT__</article>
      </VisitorFrame>
      <PageFooter />
    </FixedRouter>,
  )
}

/** The page around the API's document; the server puts the calls in the place of the word. Runs at build time. */
export function renderApiDocs(): string {
  return renderToString(
    <FixedRouter path={webPaths.apiDocs}>
      <VisitorFrame>
        <h1 className="text-2xl font-semibold tracking-tight">API</h1>
        <p className="mt-2 max-w-[48rem] text-muted-foreground">
          <span>
            Every call with its request, its answer and each refusal, made from the same table that the server
            runs on. “Try it out” makes real calls: where you are signed in in this browser they are yours,
            and they change what is yours.
          </span>
          <span>{' Programs read '}</span>
          <a href="/openapi.json" className="underline underline-offset-4">
            openapi.json
          </a>
          <span>.</span>
        </p>
        <div id="api-docs">__CALLS__</div>
      </VisitorFrame>
      <PageFooter />
    </FixedRouter>,
  )
}

/** The page of every address below /t/ that shows nobody: one for all, so that it does not reveal why. Runs at build time. */
export function renderNoPublicPage(): string {
  return renderToString(
    <PublicFrame>
      <div className="mx-auto max-w-[36rem] py-12 text-center">
        <h1 className="text-2xl font-semibold tracking-tight">There is no public page here</h1>
        <p className="mt-3 text-muted-foreground">
          Nobody has this name, or the trader keeps their page to people who are signed in.
        </p>
        <Link to="/" {...buttonLook({ variant: 'outline', className: 'mt-6' })}>
          Go to Tradepost
        </Link>
      </div>
    </PublicFrame>,
  )
}

/** The first step of /login as HTML; its button waits for the app, so nothing can be sent before. Runs at build time. */
export function renderLogin(): string {
  return renderToString(
    <FixedRouter path={webPaths.login}>
      <VisitorFrame>
        <LoginFrame>
          <EmailStep
            email=""
            onEmailChange={nothing}
            send={async () => ({ outcome: 'failed', problem: null })}
            onSent={nothing}
            onHaveCode={nothing}
            notice={null}
            takesFocus={false}
          />
        </LoginFrame>
      </VisitorFrame>
    </FixedRouter>,
  )
}

function nothing(): void {}
