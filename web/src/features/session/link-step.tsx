import { LOGIN_FAILURE_MESSAGE } from '@tradepost/contract/auth'
import { FALLBACK_MESSAGE } from '@tradepost/contract/fallback-message'
import { useEffect, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { FieldError } from '../../ui/field-error.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { isRememberedEmail } from './remembered-email.ts'
import { askLinkOwner, type MailedLink, signInWithLink } from './sign-in.ts'
import { StepHeading } from './step-heading.tsx'

type LinkStepProps = {
  link: MailedLink
  /** Back to the e-mail step; `dead` when the link was of no use. */
  onLeave: (dead: boolean) => void
}

/**
 * A mailed link was opened. In the browser that asked for it, it signs in automatically; elsewhere the page says whose
 * account it leads to and waits for a press, so a mail scanner uses nothing up (decision G-03).
 */
export function LinkStep({ link, onLeave }: LinkStepProps) {
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
    // Dead, or only unlucky? The link itself can tell without being used up.
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
