import { BRAND } from '@tradepost/contract/brand'
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react'
import { authClient, onSessionForgotten, readStoredSession } from '../../lib/auth-client.ts'
import { claimDrafts } from '../../lib/drafts.ts'
import { dropPush } from '../../lib/drop-push.ts'
import { forgetSeen } from '../../lib/forget-seen.ts'
import { queryClient } from '../../lib/query-client.ts'
import { isKeptDocument } from '../../lib/use-online.ts'
import { LoadFailure } from '../../ui/load-failure.tsx'
import { toast } from '../../ui/toast.ts'
import { isOfMailedLink, withoutCallback } from './callback.ts'
import { forgetSentCode } from './forget-sent-code.ts'
import { type SessionState, sameState, stateOf, UNDECIDED, UNKNOWN } from './session-state.ts'

const SessionContext = createContext<SessionState>(UNKNOWN)

/** The session of the person at the page; never `unknown` or `undecided` inside the provider. */
export function useSession(): SessionState {
  return useContext(SessionContext)
}

type SessionProviderProps = {
  children: ReactNode
  /** Has what the person saw last shown, for a start without a network. */
  restoreSeen: () => Promise<void>
}

/**
 * Shows nothing until the initial session check has finished (docs/specification.md section 2), then follows every change, also
 * those of other tabs. Data that one person's session loaded is gone before another's begins. When the check could not be
 * made, it shows that on the current screen, and continues there automatically once the server is back. Without a network
 * there is nobody to ask: the check ends at once, and who was signed in counts as signed in (rule G-79).
 */
export function SessionProvider({ children, restoreSeen }: SessionProviderProps) {
  const state = useAuthState(restoreSeen)
  if (state.status === 'unknown') return null
  if (state.status === 'undecided') {
    return (
      <main className="p-6">
        <h1 className="sr-only">{BRAND}</h1>
        <LoadFailure />
      </main>
    )
  }
  return <SessionContext value={state}>{children}</SessionContext>
}

function useAuthState(restoreSeen: () => Promise<void>): SessionState {
  const [state, setState] = useState<SessionState>(UNKNOWN)
  const person = useRef<string | null>(null)
  const last = useRef<string | null>(null)
  useEffect(() => {
    const become = (next: SessionState) => {
      const nextPerson = 'userId' in next ? next.userId : null
      // Also what an answer has brought since: it was of the person before.
      if (last.current !== null && person.current !== nextPerson) queryClient.clear()
      person.current = nextPerson
      // Signed in, in whichever way and tab: no code is waited for any more.
      if (nextPerson !== null) {
        last.current = nextPerson
        forgetSentCode()
        claimDrafts(nextPerson)
      }
      setState((current) => (sameState(current, next) ? current : next))
    }
    const ending = new AbortController()
    const listen = () => {
      if (ending.signal.aborted) return
      const { unsubscribe } = listenToSession(become, () => person.current !== null)
      ending.signal.addEventListener('abort', unsubscribe)
    }
    ending.signal.addEventListener(
      'abort',
      onSessionForgotten(() => {
        forgetTraces()
        become(stateOf(null))
      }),
    )
    const startKept = async () => {
      await restoreSeen().catch(() => undefined)
      const kept = readStoredSession()
      if (kept !== null && !ending.signal.aborted) become(stateOf(kept))
      listen()
    }
    if (isKeptDocument()) void startKept()
    else listen()
    void tidyCallback()
    return () => ending.abort()
  }, [restoreSeen])
  return state
}

/** @param isKnown whether it is known already who looks at the page, without the check */
function listenToSession(
  become: (next: SessionState) => void,
  isKnown: () => boolean,
): { unsubscribe(): void } {
  let checked = false
  const opened = new URL(location.href)
  const { data } = authClient.onAuthStateChange((event, session) => {
    // A page that was frozen is told late of an end, when the next person may be signed in.
    if (event === 'SIGNED_OUT' && !readStoredSession()) forgetTraces()
    // A dead stored session is reported as SIGNED_OUT, a live one as SIGNED_IN, before the check has ended.
    if (event === 'INITIAL_SESSION') checked = true
    if (!checked) return
    // No session although one is stored: it has run out, and the server could not be asked for a newer one.
    const couldNotAsk = event === 'INITIAL_SESSION' && session === null && readStoredSession() !== null
    if (couldNotAsk && isKnown()) return
    const next = couldNotAsk ? UNDECIDED : stateOf(session)
    // The guard of /login leads on to / without a word (rule G-01); who opened a link waits for what it does.
    if (event === 'INITIAL_SESSION' && next.status === 'signed_in' && isOfMailedLink(opened)) {
      toast(`You are signed in as ${next.email}. Sign out to use another link.`)
    }
    become(next)
  })
  return data.subscription
}

/** The next person who uses this browser is not to see whom the last one follows. */
function forgetTraces(): void {
  void dropPush()
  forgetSeen()
}

/** Shows a failure for a callback URL that was rejected and takes its parameters out of the address (rule G-42). */
async function tidyCallback(): Promise<void> {
  const url = new URL(location.href)
  const { error } = await authClient.initialize()
  const left = new URL(location.href)
  const clean = withoutCallback(left)
  if (clean.href !== left.href) history.replaceState(history.state, '', clean)
  if (!error && withoutCallback(url).href === url.href) return
  const { callbackFailure } = await import('./callback-failure.ts')
  const failure = callbackFailure(url, error, left)
  if (failure !== null) toast.error(failure)
}
