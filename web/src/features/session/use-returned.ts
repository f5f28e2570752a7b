import { useEffect, useEffectEvent } from 'react'
import type { SentCode } from './sent-code.ts'
import { askReturned } from './sign-in.ts'

/** Seconds after a code was asked for: most refusals come within seconds, most bounces within minutes. */
const LOOKS_AT = [5, 15, 45, 120, 300]

/** Asks now and then whether the mail with the code has come back, so that nobody waits for one in vain (decision 0091). */
export function useReturned(sent: SentCode, onLearnt: (returned: boolean) => void): void {
  const { at, codeChallenge, email, returned = false } = sent
  const tell = useEffectEvent((learnt: boolean) => {
    if (learnt !== returned) onLearnt(learnt)
  })
  useEffect(() => {
    if (codeChallenge === undefined) return
    let current = true
    async function look(challenge: string): Promise<void> {
      const learnt = await askReturned(email, challenge)
      if (current && learnt !== null) tell(learnt)
    }
    const waits = LOOKS_AT.map((seconds) => at + seconds * 1000 - Date.now())
    const timers = waits.filter((wait) => wait >= 0).map((wait) => setTimeout(look, wait, codeChallenge))
    // A page that slept, or was loaded again, has missed some.
    if (timers.length < LOOKS_AT.length) void look(codeChallenge)
    return () => {
      current = false
      for (const timer of timers) clearTimeout(timer)
    }
  }, [at, codeChallenge, email])
}
