import { webPaths } from '@tradepost/contract/web-paths'
import { useEffect } from 'react'
import { useSession } from '../features/session/session-provider.tsx'
import { hasLeft, isLeaving } from '../lib/end-session.ts'
import { Navigate, useLocation, useNavigate } from '../lib/router.tsx'
import { forgetVisits } from '../lib/visits.ts'
import { forgetWanted, keepWanted, noteArrival } from '../lib/wanted.ts'

/** Whether somebody was signed in since this page was loaded: the pages of their session are nobody's wish after it. */
let wasSignedIn = false

/**
 * Leads on from a path that shows this person nothing, replacing history (docs/specification.md section 2). The target of a mail's
 * button is named in the address of /login, and after signing in the way leads there: the one besides / (rule G-86). Any other guarded page
 * is remembered, and a line on / leads on to it (rule G-02).
 */
export function LeadOn({ to }: { to: string }) {
  const { hash, pathname, search } = useLocation()
  const item = new URLSearchParams(search).get('item')
  useEffect(() => {
    if (to === webPaths.login && item === null && !wasSignedIn && !isLeaving())
      keepWanted(pathname + search + hash, Date.now())
  }, [to, item, pathname, search, hash])
  // A person who has just signed out goes to / and does not see /login on the way.
  if (isLeaving()) return null
  if (item === null) return <Navigate to={to} replace />
  const isMail = pathname === webPaths.activity
  const further = isMail ? webPaths.loginFor(item) : webPaths.activityItem(item)
  return <Navigate to={isMail || pathname === webPaths.login ? further : to} replace />
}

/** A page that somebody came for is wanted no more once it is there. After Logout, and after a 401 or 403 of the product API, the way leads to / (docs/specification.md sections 2 and 8). */
export function LeadOut() {
  const { status } = useSession()
  const navigate = useNavigate()
  const { pathname } = useLocation()
  useEffect(() => {
    wasSignedIn ||= status === 'signed_in'
    if (status === 'signed_in') noteArrival(pathname, Date.now())
    if (status === 'signed_out') forgetVisits()
    if (status === 'signed_in' || !isLeaving()) return
    navigate(webPaths.home, { replace: true })
    forgetWanted()
    hasLeft()
  }, [status, pathname, navigate])
  return null
}
