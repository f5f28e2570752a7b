import { LOGIN_FAILURE_MESSAGE } from '@tradepost/contract/auth'
import { useEffect, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.ts'
import type { SentCode } from './sent-code.ts'
import { type Sending, sendCode } from './sign-in.ts'

/** One mail a minute and address (decision G-04). */
const SPACING_MS = 60_000

type ResendButtonProps = { sent: SentCode; onSentAgain: (sending: Sending) => void }

/** Asks for a new code; the older one is dead then. */
export function ResendButton({ sent, onSentAgain }: ResendButtonProps) {
  const [now, setNow] = useState(Date.now)
  const [pending, setPending] = useState(false)
  const secondsLeft = Math.ceil((sent.at + SPACING_MS - now) / 1000)
  const waiting = secondsLeft > 0

  useEffect(() => {
    if (!waiting) return
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [waiting])

  async function resend(): Promise<void> {
    setPending(true)
    const sending = await sendCode(sent.email)
    setPending(false)
    if (sending.outcome !== 'sent' && sending.outcome !== 'returned') {
      toast.error(LOGIN_FAILURE_MESSAGE)
      return
    }
    onSentAgain(sending)
    setNow(Date.now())
    // That mails come back stands below the field.
    if (sending.outcome === 'sent') toast.success('A new code is on its way.')
  }

  return (
    <Button
      variant="link"
      size="sm"
      className="px-0 tabular-nums"
      disabled={waiting}
      loading={pending}
      onClick={resend}
    >
      {waiting ? `Send again in ${secondsLeft} s` : 'Send again'}
    </Button>
  )
}
