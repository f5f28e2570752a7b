import { useQuery } from '@tanstack/react-query'
import type { Account } from '@tradepost/contract/accounts'
import { useLayoutEffect, useState } from 'react'
import { accountQuery } from '../features/account/account.api.ts'
import { AccountSkeleton } from '../features/account/account-skeleton.tsx'
import { NotificationsPart } from '../features/account/notifications-part.tsx'
import { ProfileSection } from '../features/account/profile-section.tsx'
import { pushQuery } from '../features/account/push.api.ts'
import { SectionLinks } from '../features/account/section-links.tsx'
import { useSessions } from '../features/account/sessions.api.ts'
import { useFactors } from '../features/account/two-step.api.ts'
import { mailingsQuery } from '../features/activity/activity.api.ts'
import { LatestMailings } from '../features/activity/latest-mailings.tsx'
import { FeedbackSection } from '../features/feedback/feedback-section.tsx'
import { deskQuery } from '../features/payments/desk.api.ts'
import { OwnPayments } from '../features/payments/own-payments.tsx'
import { PayoutsSection } from '../features/payments/payouts-section.tsx'
import { SubscriptionsSection } from '../features/payments/subscriptions-section.tsx'
import { ShareButton } from '../features/traders/share-button.tsx'
import { messageOf } from '../lib/api-refusal.ts'
import { useAnchor } from '../lib/use-anchor.ts'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { ErrorPanel } from '../ui/error-panel.tsx'
import { WithAside } from '../ui/with-aside.tsx'

/** /account (docs/specification.md section 2). */
export function AccountScreen() {
  return (
    <div className="space-y-6">
      <h1 className="text-2xl font-semibold tracking-tight">Account</h1>
      <SectionLinks isRow className="xl:hidden" />
      <WithAside label="Sections of the account" besideOnly aside={<SectionLinks />}>
        <Sections />
      </WithAside>
    </div>
  )
}

function Sections() {
  const { data, error, isError, refetch } = useQuery(accountQuery)
  const drawn = useFirstAnswers(data) && data !== undefined
  useAnchor(drawn)
  if (!drawn) {
    return data === undefined && isError ? (
      <ErrorPanel message={messageOf(error)} onRetry={() => void refetch()} />
    ) : (
      <AccountSkeleton />
    )
  }
  return (
    <div className="space-y-6 md:[&>section]:scroll-mt-6 [&>section]:scroll-mt-20 [&>section]:outline-none">
      <ErrorBoundary>
        <ProfileSection account={data} />
      </ErrorBoundary>
      <ErrorBoundary>
        <SubscriptionsSection
          account={data}
          share={<ShareButton username={data.username} isPublic={data.publicPage === true} />}
          mailings={<LatestMailings />}
          payments={<OwnPayments />}
          notifications={<NotificationsPart />}
        />
      </ErrorBoundary>
      <ErrorBoundary>
        <PayoutsSection account={data} onAddUsername={focusUsername} onAccountChange={() => void refetch()} />
      </ErrorBoundary>
      <ErrorBoundary>
        <FeedbackSection />
      </ErrorBoundary>
    </div>
  )
}

/**
 * Whether the factors, the sessions, the notifications and a trader's desk were answered once, or failed. They may be higher than any shape of them,
 * and would push down what stands below.
 */
function useFirstAnswers(account: Account | undefined): boolean {
  const [answered, setAnswered] = useState(false)
  const isTrader = account?.trader === true
  const desk = useQuery({ ...deskQuery, enabled: isTrader })
  const mailings = useQuery({ ...mailingsQuery, enabled: isTrader })
  const push = useQuery(pushQuery)
  const asked = [useFactors(), useSessions(), push, ...(isTrader ? [desk, mailings] : [])]
  const waiting = account === undefined || asked.some((query) => query.isPending && query.failureCount === 0)
  useLayoutEffect(() => {
    if (!waiting) setAnswered(true)
  }, [waiting])
  return answered
}

function focusUsername(): void {
  document.querySelector<HTMLElement>('#profile input')?.focus()
}
