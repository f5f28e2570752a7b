import { webPaths } from '@tradepost/contract/web-paths'
import { useEffect, useLayoutEffect, useState } from 'react'
import { typedEarly } from '../../lib/early-page.ts'
import { useLocation, useNavigate } from '../../lib/router.tsx'
import { CodeStep } from './code-step.tsx'
import { EmailStep } from './email-step.tsx'
import { FactorStep } from './factor-step.tsx'
import { LinkStep } from './link-step.tsx'
import { forgetSentCode, keepSentCode, readSentCode } from './sent-code.ts'
import { useSession } from './session-provider.tsx'
import { mailedLinkOf, sendCode } from './sign-in.ts'

const DEAD_LINK_NOTICE = 'This link has expired or was already used. Enter your e-mail to get a new one.'
const ENDED_NOTICE = 'This sign-in was ended elsewhere. Enter your e-mail to start again.'

type LoginFormProps = {
  /** Where the sandbox shows mail, while mail goes there. */
  mailboxUrl: string | null
}

/**
 * E-mail entry, then code entry (docs/specification.md section 2), which a reload keeps while the code lives; a mailed link
 * instead of both; then, for a session that lacks its second step, the code of the authenticator app (decision G-41). Success
 * is seen by the guard of /login, which leads a signed-in person to /.
 */
export function LoginForm({ mailboxUrl }: LoginFormProps) {
  const [sent, setSent] = useState(() => readSentCode(Date.now()))
  const [email, setEmail] = useState(sent?.email ?? '')
  const [returned, setReturned] = useState(false)
  const [notice, setNotice] = useState<string | null>(null)
  const { hash } = useLocation()
  const navigate = useNavigate()
  const session = useSession()
  const link = mailedLinkOf(hash)
  const needsFactor = session.status === 'needs_factor'

  // In the frame in which the early form goes: what is typed until then is taken over, the focus too.
  useLayoutEffect(() => {
    const early = typedEarly()
    if (early.email !== '') setEmail(early.email)
    if (early.focused) setReturned(true)
  }, [])

  function awaitCode(address: string, { mailed }: { mailed: boolean }): void {
    const awaited = { email: address, at: Date.now(), mailed }
    keepSentCode(awaited)
    setSent(awaited)
    setNotice(null)
  }

  function startAgain(): void {
    forgetSentCode()
    setSent(null)
    setReturned(true)
  }

  // The code or the link has been used: a person who comes back from the second step starts again.
  useEffect(() => {
    if (!needsFactor) return
    setNotice(null)
    setSent(null)
    setReturned(true)
    if (hash !== '') navigate(webPaths.login, { replace: true })
  }, [needsFactor, hash, navigate])

  function leaveLink(dead: boolean): void {
    setNotice(dead ? DEAD_LINK_NOTICE : null)
    startAgain()
    navigate(webPaths.login, { replace: true })
  }

  if (session.status === 'needs_factor') {
    return (
      <FactorStep
        email={session.email}
        factorIds={session.factorIds}
        onEnded={() => setNotice(ENDED_NOTICE)}
      />
    )
  }

  if (link !== null) {
    return <LinkStep key={link.tokenHash} link={link} onLeave={leaveLink} />
  }
  if (sent !== null) {
    return (
      <CodeStep
        sent={sent}
        mailboxUrl={mailboxUrl}
        onSentAgain={() => awaitCode(sent.email, { mailed: true })}
        onBack={startAgain}
      />
    )
  }
  return (
    <EmailStep
      email={email}
      onEmailChange={setEmail}
      send={sendCode}
      notice={notice}
      takesFocus={returned}
      onSent={() => awaitCode(email, { mailed: true })}
      onHaveCode={() => awaitCode(email, { mailed: false })}
    />
  )
}
