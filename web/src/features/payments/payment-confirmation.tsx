import { useQuery } from '@tanstack/react-query'
import { webPaths } from '@tradepost/contract/web-paths'
import { CircleAlert, CircleCheck } from 'lucide-react'
import { useEffect, useState } from 'react'
import { messageOf } from '../../lib/api-refusal.ts'
import { formatDay } from '../../lib/format.ts'
import { Link } from '../../lib/router.tsx'
import { serverNow } from '../../lib/server-time.ts'
import { Button, buttonLook } from '../../ui/button.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { subscriptionCheckQuery, subscriptionsQuery } from './payments.api.ts'
import { renewalWords } from './renewal-price.tsx'
import { trialEndOf } from './trial-row.tsx'

const PAUSE_MS = 2000
const PATIENCE_MS = 30_000

type PaymentConfirmationProps = {
  /** The trader who is followed from now on. */
  username: string
  /** Called when the server knows of the subscription. */
  onConfirmed: () => void
}

/**
 * The state beside the page's fixed text: the payment is being confirmed, is confirmed, or the trader is not followed.
 * Asks every 2 s, for half a minute, since the payment can reach the server later than the person does (rule G-52);
 * once more as long when the person asks for it.
 */
export function PaymentConfirmation({ username, onConfirmed }: PaymentConfirmationProps) {
  const [round, setRound] = useState(1)
  const [patientRound, setPatientRound] = useState(1)
  const patient = patientRound === round
  const { data, error, refetch } = useQuery({
    ...subscriptionCheckQuery(username),
    refetchInterval: ({ state }) =>
      patient && !state.data?.subscribed && !state.data?.trialRefused ? PAUSE_MS : false,
  })
  const confirmed = data?.subscribed ?? false

  useEffect(() => {
    const timer = setTimeout(() => setPatientRound(round + 1), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [round])
  useEffect(() => {
    if (confirmed) onConfirmed()
  }, [confirmed, onConfirmed])

  function askAgain(): void {
    setRound(patientRound)
    void refetch()
  }
  const state = stateOf({ confirmed, patient, failure: data ? null : error }, username)
  return (
    <div className="mt-6 flex w-full gap-3 rounded-lg border border-border bg-card p-4 text-left">
      <StateMark kind={state.kind} />
      <div className="min-w-0 flex-1">
        <div role="status">
          <p className="font-medium">{state.title}</p>
          <p className="mt-1 text-sm text-muted-foreground">{state.text}</p>
          {data?.status === 'trialing' && <FreeDays username={username} />}
        </div>
        {state.kind === 'open' && (
          <div className="mt-4 flex flex-wrap gap-3">
            <Button variant="outline" size="sm" onClick={askAgain}>
              Check again
            </Button>
            <Link to={webPaths.subscribe(username)} {...buttonLook({ variant: 'ghost', size: 'sm' })}>
              To the checkout
            </Link>
          </div>
        )}
      </div>
    </div>
  )
}

/** The end of the free days and the payment behind them, once the list of subscriptions has them (rule G-123). */
function FreeDays({ username }: { username: string }) {
  const { data } = useQuery(subscriptionsQuery)
  const begun = data?.subscriptions.find(
    (one) => one.username.toLowerCase() === username.toLowerCase() && trialEndOf(one) !== null,
  )
  const end = begun && trialEndOf(begun)
  if (!end) return null
  const day = formatDay(end, serverNow())
  return (
    <p className="mt-1 text-sm">
      {`Free until ${day}; the first payment is on that day: ${renewalWords(begun)}. To end it before, choose End trial under Account > Subscriptions.`}
    </p>
  )
}

type State = { kind: 'asking' | 'confirmed' | 'open'; title: string; text: string }
type Known = { confirmed: boolean; patient: boolean; failure: Error | null }

function stateOf({ confirmed, patient, failure }: Known, username: string): State {
  if (confirmed) {
    const text = `You follow @${username}. The positions are on your home page, and each open and close comes by mail unless you have switched that off.`
    return { kind: 'confirmed', title: 'Confirmed.', text }
  }
  if (patient) {
    const text = 'It usually takes a few seconds until Stripe tells us of it.'
    return { kind: 'asking', title: 'Confirming your payment…', text }
  }
  if (failure) return { kind: 'open', title: 'We could not check your payment.', text: messageOf(failure) }
  return {
    kind: 'open',
    title: `You do not follow @${username} yet.`,
    text: 'If you have paid, your subscription starts as soon as the payment is confirmed.',
  }
}

function StateMark({ kind }: { kind: State['kind'] }) {
  if (kind === 'asking') return <Spinner className="mt-0.5 size-5 text-muted-foreground" />
  if (kind === 'confirmed')
    return <CircleCheck aria-hidden="true" className="mt-0.5 size-5 text-foreground" />
  return <CircleAlert aria-hidden="true" className="mt-0.5 size-5 text-muted-foreground" />
}
