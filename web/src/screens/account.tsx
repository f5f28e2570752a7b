import { useQuery } from '@tanstack/react-query'
import { accountQuery } from '../features/account/account.api.ts'
import { AccountSkeleton } from '../features/account/account-skeleton.tsx'
import { ProfileSection } from '../features/account/profile-section.tsx'
import { SectionLinks } from '../features/account/section-links.tsx'
import { FeedbackSection } from '../features/feedback/feedback-section.tsx'
import { PayoutsSection } from '../features/payments/payouts-section.tsx'
import { SubscriptionsSection } from '../features/payments/subscriptions-section.tsx'
import { messageOf } from '../lib/api-refusal.ts'
import { useAnchor } from '../lib/use-anchor.ts'
import { ErrorPanel } from '../ui/error-panel.tsx'
import { WithAside } from '../ui/with-aside.tsx'

/** /account (docs/specification.md section 2). */
export function AccountScreen() {
  return (
    <div className="space-y-6">
      <h1 className="text-2xl font-semibold tracking-tight">Account</h1>
      <WithAside label="Sections of the account" besideOnly aside={<SectionLinks />}>
        <Sections />
      </WithAside>
    </div>
  )
}

function Sections() {
  const { data, error, isError, refetch } = useQuery(accountQuery)
  useAnchor(data !== undefined)
  if (data === undefined) {
    return isError ? (
      <ErrorPanel message={messageOf(error)} onRetry={() => void refetch()} />
    ) : (
      <AccountSkeleton />
    )
  }
  return (
    <div className="space-y-6 md:[&>section]:scroll-mt-6 [&>section]:scroll-mt-20 [&>section]:outline-none">
      <ProfileSection account={data} />
      <SubscriptionsSection account={data} />
      <PayoutsSection account={data} onAddUsername={focusUsername} onAccountChange={() => void refetch()} />
      <FeedbackSection />
    </div>
  )
}

function focusUsername(): void {
  document.querySelector<HTMLElement>('#profile input')?.focus()
}
