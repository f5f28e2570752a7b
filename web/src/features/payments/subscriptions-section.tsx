import { useQuery } from '@tanstack/react-query'
import type { Account } from '@tradepost/contract/accounts'
import type { MailsRefused } from '@tradepost/contract/subscriptions'
import { webPaths } from '@tradepost/contract/web-paths'
import { useId } from 'react'
import { messageOf } from '../../lib/api-refusal.ts'
import { Link } from '../../lib/router.tsx'
import { Alert, AlertDescription, AlertTitle } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, CardContent, CardHeader, CardTitle } from '../../ui/card.tsx'
import type { Elements } from '../../ui/elements.ts'
import { RefreshFailure } from '../../ui/refresh-failure.tsx'
import { askAgain } from './ask-again.ts'
import { Desk } from './desk.tsx'
import { openPortal, subscriptionsQuery } from './payments.api.ts'
import { PositionMailsSwitch } from './position-mails-switch.tsx'
import { RenewalMailSwitch } from './renewal-mail-switch.tsx'
import { isEnded } from './subscription-texts.ts'
import { SubscriptionsSkeleton, SubscriptionsTable } from './subscriptions-table.tsx'
import { useDeparture } from './use-departure.ts'
import { useReturn } from './use-return.ts'

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

type SubscriptionsSectionProps = {
  account: Account
  /** Hands the address of the account's own profile on. */
  share: Elements
  /** How the mails of a trader's latest positions went. */
  mailings: Elements
  /** The payments of somebody who follows or has followed. */
  payments: Elements
  /** On which devices notifications come, and about whom. */
  notifications: Elements
}

/** Account > Subscriptions: for a trader the desk, and whom one follows (rules G-05 and G-98). */
export function SubscriptionsSection({
  account,
  mailings,
  notifications,
  payments,
  share,
}: SubscriptionsSectionProps) {
  const { leavingBy, error, leave } = useDeparture()
  return (
    <Card id="subscriptions" aria-labelledby="subscriptions-title">
      <CardHeader className="flex flex-wrap items-center justify-between gap-3 space-y-0">
        <CardTitle id="subscriptions-title">Subscriptions</CardTitle>
        {account.customer && (
          <Button
            variant="outline"
            size="sm"
            className="-my-2.5 sm:-my-1.5"
            loading={leavingBy === 'billing'}
            onClick={() => leave('billing', openPortal)}
          >
            Manage billing
          </Button>
        )}
      </CardHeader>
      <CardContent className="space-y-4">
        {account.trader && <Desk username={account.username} share={share} mailings={mailings} />}
        {error !== null && (
          <Alert variant="destructive">
            <AlertDescription>{error}</AlertDescription>
          </Alert>
        )}
        {account.customer ? (
          <OwnSubscriptions
            leavingBy={leavingBy}
            payments={payments}
            onManage={(id) => leave(id, () => openPortal(id))}
          />
        ) : (
          <NobodyYet />
        )}
        {notifications}
      </CardContent>
    </Card>
  )
}

type OwnSubscriptionsProps = {
  /** The subscription whose portal page is being opened, or what else leaves the page; null while nothing does. */
  leavingBy: string | null
  payments: Elements
  onManage: (id: string) => void
}

/** Asked for only by somebody whose billing is set up (rule G-31). */
function OwnSubscriptions({ leavingBy, onManage, payments }: OwnSubscriptionsProps) {
  const explanation = useId()
  const fromPortal = useReturn('portal') === 'return'
  const { data, error, isError, refetch } = useQuery({
    ...subscriptionsQuery,
    refetchInterval: askAgain(fromPortal),
  })
  const failure = isError && <RefreshFailure message={messageOf(error)} onRetry={() => void refetch()} />
  if (data === undefined) return failure || <SubscriptionsSkeleton />
  // A server of the version before answers without it.
  const mailsOn = data.positionMails !== false
  return (
    <>
      {failure}
      {data.mailsRefused && <MailsRefusedNotice reason={data.mailsRefused} />}
      {data.subscriptions.length === 0 ? (
        <NobodyYet />
      ) : (
        <>
          <PositionMailsSwitch isOn={mailsOn} explanation={explanation} />
          <SubscriptionsTable
            subscriptions={data.subscriptions}
            noMailsBecause={mailsOn ? null : explanation}
            leavingBy={leavingBy}
            onManage={onManage}
          />
          <p className="text-sm text-muted-foreground">
            Averages of closes since you follow. A position that was open already counts from its price when
            you began.
          </p>
          {data.subscriptions.some((one) => !isEnded(one)) && <RenewalMailSwitch />}
          {payments}
        </>
      )}
    </>
  )
}

function NobodyYet() {
  return (
    <p>
      <span>{'You are not subscribed to anyone yet. '}</span>
      <Link to={webPaths.search} className="font-medium underline underline-offset-4">
        Search
      </Link>
    </p>
  )
}

/** A newer version may name a reason that this page does not know. */
function isKnown(reason: string): reason is MailsRefused {
  return Object.hasOwn(WORDS, reason)
}

/** Explains why nothing arrives by mail, where everything can be read meanwhile, and what sends mails again (ADR 0072). */
function MailsRefusedNotice({ reason }: { reason: string }) {
  const { title, why } = isKnown(reason) ? WORDS[reason] : { title: WORDS.complained.title, why: '' }
  return (
    <Alert role="note">
      <AlertTitle>{title}</AlertTitle>
      <AlertDescription>
        <span>{`${why} Everything is in `}</span>
        <Link to={webPaths.activity} className="font-medium underline underline-offset-4">
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
            <a href="#feedback" className="font-medium underline underline-offset-4">
              Feedback
            </a>
            <span>.</span>
          </>
        )}
      </AlertDescription>
    </Alert>
  )
}
