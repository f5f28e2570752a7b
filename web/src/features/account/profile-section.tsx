import type { Account } from '@tradepost/contract/accounts'
import { FALLBACK_MESSAGE } from '@tradepost/contract/fallback-message'
import type { Session, SessionPlace } from '@tradepost/contract/sessions'
import { webPaths } from '@tradepost/contract/web-paths'
import { useId, useRef, useState } from 'react'
import { messageOf } from '../../lib/api-refusal.ts'
import { signOutEverywhere } from '../../lib/end-session.ts'
import { formatDate, formatTime } from '../../lib/format.ts'
import { Link } from '../../lib/router.tsx'
import { Alert, AlertDescription } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, CardContent, CardHeader, CardTitle } from '../../ui/card.tsx'
import {
  Dialog,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogTitle,
} from '../../ui/dialog.tsx'
import { FieldError } from '../../ui/field-error.tsx'
import { RefreshFailure } from '../../ui/refresh-failure.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { AboutPart } from './about-part.tsx'
import { ClosePart } from './close-part.tsx'
import { DataPart } from './data-part.tsx'
import { EmailPart } from './email-part.tsx'
import { leave } from './leave.ts'
import { PublicPagePart } from './public-page-part.tsx'
import { useEndSession, useSessions } from './sessions.api.ts'
import { TwoStepSection } from './two-step-section.tsx'
import { UsernameForm } from './username-form.tsx'

/**
 * Account > Profile: the username, the words about oneself, the public page, the address, the second step of signing in (rule G-41),
 * where the person is signed in, the file of their data, and the ways out, which a phone has nowhere else (rule G-36).
 */
export function ProfileSection({ account }: { account: Account }) {
  return (
    <Card id="profile" aria-labelledby="profile-title">
      <CardHeader>
        <CardTitle id="profile-title">Profile</CardTitle>
      </CardHeader>
      <CardContent className="space-y-6">
        <UsernameForm username={account.username} />
        {account.username !== '' && <AboutPart account={account} />}
        {account.username !== '' && <PublicPagePart account={account} />}
        {account.email && <EmailPart email={account.email} />}
        <TwoStepSection />
        <SessionsSection />
        <DataPart />
        <ClosePart />
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
              className="inline-flex min-h-11 items-center rounded-sm font-medium underline underline-offset-4 outline-none focus-visible:ring-2 focus-visible:ring-ring sm:min-h-0"
            >
              Logout
            </Link>
          </div>
        </div>
      </CardContent>
    </Card>
  )
}

/** Account > Profile: where the person is signed in, so that they see a session that is not theirs, and end it. */
function SessionsSection() {
  const title = useRef<HTMLHeadingElement>(null)
  const id = useId()
  return (
    <section aria-labelledby={id} className="space-y-3 border-t border-border pt-4">
      <h3 ref={title} id={id} tabIndex={-1} className="text-sm font-medium outline-none">
        Where you are signed in
      </h3>
      {/* The button goes with its row; the focus stays near. */}
      <Sessions onEnded={() => title.current?.focus()} />
    </section>
  )
}

function Sessions({ onEnded }: { onEnded: () => void }) {
  const { data: sessions, error, isError, refetch } = useSessions()
  const failure = isError && <RefreshFailure message={messageOf(error)} onRetry={() => void refetch()} />
  if (sessions === undefined) {
    if (failure) return failure
    return (
      <div role="status" aria-label="Loading your sessions" aria-busy="true">
        <Skeleton className="h-[5.59rem]" />
      </div>
    )
  }
  return (
    <>
      {failure}
      <ul className="space-y-4">
        {sessions.map((session) => (
          <SessionRow key={session.id} session={session} onEnded={onEnded} />
        ))}
      </ul>
    </>
  )
}

function SessionRow({ session, onEnded }: { session: Session; onEnded: () => void }) {
  const { current, awaitsSecondStep, seenAt, seenFrom, signedInAt, signedInFrom } = session
  const { mutate, isPending, error } = useEndSession(onEnded)
  const device = useId()
  const moved = placeText(signedInFrom) !== placeText(seenFrom)
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
      <div className="min-w-0 space-y-0.5 text-sm text-muted-foreground">
        <p id={device} className="text-[0.9375rem] text-foreground">
          {current ? `${seenFrom.device} (this device)` : seenFrom.device}
        </p>
        {seenFrom.network !== null && <p>{`Network ${seenFrom.network}`}</p>}
        <p>{`Last seen ${formatTime(seenAt)}`}</p>
        <p>
          {moved
            ? `Signed in ${formatDate(signedInAt)} from ${placeText(signedInFrom)}`
            : `Signed in ${formatDate(signedInAt)}`}
        </p>
        {awaitsSecondStep && <p>Waits for the code of your authenticator app</p>}
        <FieldError>{error && messageOf(error)}</FieldError>
      </div>
      {!current && (
        <Button
          variant="outline"
          size="sm"
          aria-describedby={device}
          loading={isPending}
          onClick={() => mutate(session)}
        >
          End session
        </Button>
      )}
    </li>
  )
}

function placeText({ device, network }: SessionPlace): string {
  return network === null ? device : `${device}, network ${network}`
}

/**
 * Ends every session of the person after a second thought (rule G-41). Unlike Logout, which leaves this browser in
 * any case, it shows when the server could not do it: the other devices are the point.
 */
function SignOutEverywhere() {
  const [asking, setAsking] = useState(false)
  const [pending, setPending] = useState(false)
  const [failed, setFailed] = useState(false)

  function ask(): void {
    setFailed(false)
    setAsking(true)
  }

  async function signOut(): Promise<void> {
    setPending(true)
    setFailed(false)
    const done = await signOutEverywhere()
    setPending(false)
    setFailed(!done)
  }

  return (
    <>
      <Button variant="link" className="min-w-0 px-0" onClick={ask}>
        Sign out everywhere
      </Button>
      <Dialog open={asking} onOpenChange={(open) => !pending && setAsking(open)}>
        <DialogContent>
          <DialogHeader>
            <DialogTitle>Sign out everywhere?</DialogTitle>
            <DialogDescription>
              This ends your session in every browser and on every device, this one included.
            </DialogDescription>
          </DialogHeader>
          {failed && (
            <Alert variant="destructive">
              <AlertDescription>{FALLBACK_MESSAGE}</AlertDescription>
            </Alert>
          )}
          <DialogFooter>
            <Button variant="outline" disabled={pending} onClick={() => setAsking(false)}>
              Cancel
            </Button>
            <Button loading={pending} onClick={() => void signOut()}>
              Sign out
            </Button>
          </DialogFooter>
        </DialogContent>
      </Dialog>
    </>
  )
}
