import { webPaths } from '@tradepost/contract/web-paths'
import { renderToString } from 'react-dom/server'
import { VisitorFrame } from '../app/visitor-frame.tsx'
import { LandingPage } from '../features/landing/landing-page.tsx'
import { PageFooter } from '../features/landing/page-footer.tsx'
import { EmailStep } from '../features/session/email-step.tsx'
import { LoginFrame } from '../features/session/login-frame.tsx'
import { FixedRouter } from '../lib/router.tsx'

/**
 * The landing page as HTML, for the document of / (rule G-81). Runs at build time; the server puts price and fee in the
 * place of the two words.
 */
export function renderLanding(): string {
  return renderToString(
    <FixedRouter path={webPaths.home}>
      <LandingPage price="__PRICE__" feePercent="__FEE_PERCENT__" />
    </FixedRouter>,
  )
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
          <a href="/openapi.json" className="text-primary underline">
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
