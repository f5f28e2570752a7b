import type { Session, SessionPlace } from '@tradepost/contract/sessions'
import { useId, useRef } from 'react'
import { messageOf } from '../../lib/api-refusal.ts'
import { formatDate, formatTime } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { FieldError } from '../../ui/field-error.tsx'
import { RefreshFailure } from '../../ui/refresh-failure.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useEndSession, useSessions } from './sessions.api.ts'

/** Account > Profile: where the person is signed in, so that they see a session that is not theirs, and end it. */
export function SessionsSection() {
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
