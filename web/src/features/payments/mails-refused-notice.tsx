import type { MailsRefused } from '@tradepost/contract/subscriptions'
import { webPaths } from '@tradepost/contract/web-paths'
import { Link } from '../../lib/router.tsx'
import { Alert, AlertDescription, AlertTitle } from '../../ui/alert.tsx'

const WORDS: Record<MailsRefused, { title: string; why: string }> = {
  refused: {
    title: 'Mails to your address come back',
    why: 'Your mail server refuses them, so we send none about positions and payments.',
  },
  complained: {
    title: 'You get no mails about positions and payments',
    why: 'One of them was reported as spam from your mailbox.',
  },
}

/** A newer version may name a reason that this page does not know. */
function isKnown(reason: string): reason is MailsRefused {
  return Object.hasOwn(WORDS, reason)
}

/** Says why nothing arrives by mail, where everything can be read meanwhile, and what sends mails again (decision 0072). */
export function MailsRefusedNotice({ reason }: { reason: string }) {
  const { title, why } = isKnown(reason) ? WORDS[reason] : { title: WORDS.complained.title, why: '' }
  return (
    <Alert role="note">
      <AlertTitle>{title}</AlertTitle>
      <AlertDescription>
        <span>{`${why} Everything is in `}</span>
        <Link to={webPaths.activity} className="font-medium text-primary underline underline-offset-4">
          Activity
        </Link>
        <span>{', and sign-in codes are still mailed. '}</span>
        {reason === 'refused' ? (
          <span>
            Once your mailbox takes mails again, sign out and sign in with a new code, and they go out again.
          </span>
        ) : (
          <>
            <span>{'To get such mails again, tell us by '}</span>
            <a href="#feedback" className="font-medium text-primary underline underline-offset-4">
              Feedback
            </a>
            <span>.</span>
          </>
        )}
      </AlertDescription>
    </Alert>
  )
}
