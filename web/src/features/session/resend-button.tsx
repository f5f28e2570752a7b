import { LOGIN_FAILURE_MESSAGE } from '@tradepost/contract/auth'
import { useEffect, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.ts'
import { sendCode } from './sign-in.ts'

/** One mail a minute and address (decision G-04). */
const SPACING_SECONDS = 60

/** Asks for a new code; the older one is dead then. */
export function ResendButton({ email }: { email: string }) {
  const [secondsLeft, setSecondsLeft] = useState(SPACING_SECONDS)
  const [pending, setPending] = useState(false)
  const waiting = secondsLeft > 0

  useEffect(() => {
    if (!waiting) return
    const timer = setInterval(() => setSecondsLeft((left) => left - 1), 1000)
    return () => clearInterval(timer)
  }, [waiting])

  async function resend(): Promise<void> {
    setPending(true)
    const sent = await sendCode(email)
    setPending(false)
    if (sent) {
      setSecondsLeft(SPACING_SECONDS)
      toast.success('A new code is on its way.')
    } else {
      toast.error(LOGIN_FAILURE_MESSAGE)
    }
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
