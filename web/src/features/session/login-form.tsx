import { LOGIN_FAILURE_MESSAGE } from '@tradepost/contract/auth'
import { FALLBACK_MESSAGE } from '@tradepost/contract/fallback-message'
import { webPaths } from '@tradepost/contract/web-paths'
import { useEffect, useEffectEvent, useLayoutEffect, useState } from 'react'
import { typedEarly } from '../../lib/early-page.ts'
import { useLocation, useNavigate } from '../../lib/router.tsx'
import { Button } from '../../ui/button.tsx'
import { FieldError } from '../../ui/field-error.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { CodeStep } from './code-step.tsx'
import { EmailStep } from './email-step.tsx'
import { FactorStep } from './factor-step.tsx'
import { forgetSentCode } from './forget-sent-code.ts'
import { isRememberedEmail } from './remembered-email.ts'
import { keepSentCode, readSentCode, type SentCode } from './sent-code.ts'
import { useSession } from './session-provider.tsx'
import {
  askLinkOwner,
  type MailedLink,
  mailedLinkOf,
  type Sending,
  sendCode,
  signInWithLink,
} from './sign-in.ts'
import { StepHeading } from './step-heading.tsx'

const DEAD_LINK_NOTICE = 'This link has expired or was already used. Enter your e-mail to get a new one.'

const ENDED_NOTICE = 'This sign-in was ended elsewhere. Enter your e-mail to start again.'

type LoginFormProps = {
  /** Where the sandbox shows mail, while mail goes there. */
  mailboxUrl: string | null
}

/**
 * E-mail entry, then code entry (docs/specification.md section 2), which a reload keeps while the code lives; a mailed link
 * instead of both; then, for a session that lacks its second step, the code of the authenticator app (rule G-41). Success
 * is seen by the guard of /login, which leads a signed-in person to /.
 */
export function LoginForm({ mailboxUrl }: LoginFormProps) {
  const { email, setEmail, sent, returned, notice, ...way } = useWayIn()
  const { hash } = useLocation()
  const session = useSession()
  const link = mailedLinkOf(hash)
  if (session.status === 'needs_factor') {
    return <FactorStep email={session.email} factorIds={session.factorIds} onEnded={way.notifyEnded} />
  }
  if (link !== null) return <LinkStep key={link.tokenHash} link={link} onLeave={way.leaveLink} />
  if (sent !== null) {
    return (
      <CodeStep
        sent={sent}
        mailboxUrl={mailboxUrl}
        onSentAgain={(sending) => way.awaitCode(sent.email, sending)}
        onReturned={way.notifyReturned}
        onBack={way.startAgain}
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
      onSent={way.awaitCode}
      onHaveCode={(sending) => way.awaitCode(email, sending)}
    />
  )
}

/** The typed text and the mailed code so far, the reason for being back at the beginning, and the ways from step to step. */
function useWayIn() {
  const [sent, setSent] = useState(() => readSentCode(Date.now()))
  const [email, setEmail] = useState(sent?.email ?? '')
  const [returned, setReturned] = useState(false)
  const [notice, setNotice] = useState<string | null>(null)
  const navigate = useNavigate()

  // In the frame in which the early form goes: what is typed until then is taken over, the focus too.
  useLayoutEffect(() => {
    const early = typedEarly()
    if (early.email !== '') setEmail(early.email)
    if (early.focused) setReturned(true)
  }, [])
  useUsedUp(() => {
    setNotice(null)
    setSent(null)
    setReturned(true)
  })

  function wait(awaited: SentCode): void {
    keepSentCode(awaited)
    setSent(awaited)
  }

  function awaitCode(address: string, { outcome, codeChallenge }: Sending): void {
    const mailed = outcome !== 'limited'
    const returned = outcome === 'returned'
    wait({ email: address, at: Date.now(), mailed, ...(codeChallenge && { codeChallenge }), returned })
    setNotice(null)
  }

  function notifyReturned(returned: boolean): void {
    if (sent !== null) wait({ ...sent, returned })
  }

  function startAgain(): void {
    forgetSentCode()
    setSent(null)
    setReturned(true)
  }

  function leaveLink(dead: boolean): void {
    setNotice(dead ? DEAD_LINK_NOTICE : null)
    startAgain()
    navigate(webPaths.login, { replace: true })
  }

  const notifyEnded = () => setNotice(ENDED_NOTICE)
  return {
    email,
    setEmail,
    sent,
    returned,
    notice,
    awaitCode,
    notifyReturned,
    startAgain,
    leaveLink,
    notifyEnded,
  }
}

/** The code or the link has been used: a person who comes back from the second step starts again. */
function useUsedUp(onUsedUp: () => void): void {
  const { hash } = useLocation()
  const navigate = useNavigate()
  const needsFactor = useSession().status === 'needs_factor'
  const usedUp = useEffectEvent(onUsedUp)
  useEffect(() => {
    if (!needsFactor) return
    usedUp()
    if (hash !== '') navigate(webPaths.login, { replace: true })
  }, [needsFactor, hash, navigate])
}

type LinkStepProps = {
  link: MailedLink
  /** Back to the e-mail step; `dead` when the link was of no use. */
  onLeave: (dead: boolean) => void
}

/**
 * A mailed link was opened. In the browser that asked for it, it signs in automatically; elsewhere the page shows whose
 * account it leads to and waits for a press, so a mail scanner uses nothing up (rule G-03).
 */
function LinkStep({ link, onLeave }: LinkStepProps) {
  const { owner, pending, failure, ask, signIn } = useLink(link, onLeave)
  if (owner === null) {
    return (
      <div className="space-y-6" aria-busy={failure === null}>
        <StepHeading title="Signing you in">Looking at your link …</StepHeading>
        {failure === null ? <Skeleton className="h-10" /> : <FieldError>{failure}</FieldError>}
        {failure !== null && (
          <Button className="w-full" onClick={ask}>
            Try again
          </Button>
        )}
      </div>
    )
  }
  return (
    <div className="space-y-6">
      <StepHeading title="Sign in" takesFocus>
        <span>{'This link signs you in as '}</span>
        <strong translate="no" className="font-medium wrap-anywhere text-foreground">
          {owner}
        </strong>
        <span>.</span>
      </StepHeading>
      <FieldError>{failure}</FieldError>
      <Button className="w-full" loading={pending} onClick={signIn}>
        Sign in
      </Button>
      <Button variant="link" size="sm" className="px-0" onClick={() => onLeave(false)}>
        Use a different e-mail
      </Button>
    </div>
  )
}

function useLink(link: MailedLink, onLeave: (dead: boolean) => void) {
  const [owner, setOwner] = useState<string | null>(null)
  const [pending, setPending] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)

  async function signIn(): Promise<void> {
    setPending(true)
    setFailure(null)
    const signedIn = await signInWithLink(link)
    setPending(false)
    if (signedIn) return
    // Dead, or a failure that passes? The server answers that without using the link up.
    const { kind } = await askLinkOwner(link.tokenHash)
    if (kind === 'dead') onLeave(true)
    else setFailure(LOGIN_FAILURE_MESSAGE)
  }

  async function ask(isCurrent: () => boolean = () => true): Promise<void> {
    setFailure(null)
    const answer = await askLinkOwner(link.tokenHash)
    if (!isCurrent()) return
    if (answer.kind === 'dead') return onLeave(true)
    if (answer.kind === 'unreachable') return setFailure(FALLBACK_MESSAGE)
    setOwner(answer.email)
    if (isRememberedEmail(answer.email)) await signIn()
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: asks once a link; the form gives each link its own step
  useEffect(() => {
    let current = true
    void ask(() => current)
    return () => {
      current = false
    }
  }, [])

  return { owner, pending, failure, ask: () => void ask(), signIn: () => void signIn() }
}
