import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { subscriptionCheckQuery } from './payments.api.ts'

const PAUSE_MS = 2000
const PATIENCE_MS = 30_000

type PaymentConfirmationProps = {
  /** The trader who is followed from now on. */
  username: string
  /** Called when the server knows of the subscription. */
  onConfirmed: () => void
}

/**
 * Asks every 2 s, for half a minute, whether the payment has reached the server: it can be later than the person
 * (decision G-52). Quiet: the page's text does not depend on it.
 */
export function PaymentConfirmation({ username, onConfirmed }: PaymentConfirmationProps) {
  const [patient, setPatient] = useState(true)
  const { data } = useQuery({
    ...subscriptionCheckQuery(username),
    refetchInterval: ({ state }) => (patient && !state.data?.subscribed ? PAUSE_MS : false),
  })
  const confirmed = data?.subscribed ?? false

  useEffect(() => {
    const timer = setTimeout(() => setPatient(false), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [])
  useEffect(() => {
    if (confirmed) onConfirmed()
  }, [confirmed, onConfirmed])

  return (
    <p role="status" className="text-sm text-muted-foreground">
      {textOf(confirmed, patient)}
    </p>
  )
}

function textOf(confirmed: boolean, patient: boolean): string {
  if (confirmed) return 'Confirmed.'
  if (patient) return 'Confirming your payment…'
  return 'Still confirming. If you have paid, your subscription starts as soon as the payment is confirmed.'
}
