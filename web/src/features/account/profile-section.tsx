import type { Account } from '@tradepost/contract/accounts'
import { webPaths } from '@tradepost/contract/web-paths'
import { Link } from '../../lib/router.tsx'
import { Card, CardContent, CardHeader, CardTitle } from '../../ui/card.tsx'
import { leave } from './leave.ts'
import { SessionsSection } from './sessions-section.tsx'
import { SignOutEverywhere } from './sign-out-everywhere.tsx'
import { TwoStepSection } from './two-step-section.tsx'
import { UsernameForm } from './username-form.tsx'

/**
 * Account > Profile: the username, the second step of signing in (decision G-41), where the person is signed in, and the
 * ways out, which a phone has nowhere else (decision G-36).
 */
export function ProfileSection({ account }: { account: Account }) {
  return (
    <Card id="profile" aria-labelledby="profile-title">
      <CardHeader>
        <CardTitle id="profile-title">Profile</CardTitle>
      </CardHeader>
      <CardContent className="space-y-6">
        <UsernameForm username={account.username} />
        <TwoStepSection />
        <SessionsSection />
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-t border-border pt-4">
          {account.email && (
            <p className="wrap-anywhere text-muted-foreground">
              <span>{'Signed in as '}</span>
              <span translate="no">{account.email}</span>
            </p>
          )}
          <div className="flex flex-wrap items-center gap-x-6">
            <SignOutEverywhere />
            <Link
              to={webPaths.home}
              onClick={leave}
              className="inline-flex min-h-11 items-center rounded-sm font-medium text-primary underline-offset-4 outline-none hover:underline focus-visible:ring-2 focus-visible:ring-ring sm:min-h-0"
            >
              Logout
            </Link>
          </div>
        </div>
      </CardContent>
    </Card>
  )
}
