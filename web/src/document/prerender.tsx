import { webPaths } from '@tradepost/contract/web-paths'
import { renderToString } from 'react-dom/server'
import { VisitorFrame } from '../app/visitor-frame.tsx'
import { EmailStep } from '../features/session/email-step.tsx'
import { LoginFrame } from '../features/session/login-frame.tsx'
import { FixedRouter } from '../lib/router.tsx'
import { LandingScreen } from '../screens/landing.tsx'

/** The landing page as HTML, for the document of / (decision G-81). Runs at build time. */
export function renderLanding(): string {
  return renderToString(
    <FixedRouter path={webPaths.home}>
      <LandingScreen />
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
            send={async () => 'failed'}
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
