import { webPaths } from '@tradepost/contract/web-paths'
import { type ReactNode, useEffect } from 'react'
import { useSession } from '../features/session/session-provider.tsx'
import { hasLeft, isLeaving } from '../lib/end-session.ts'
import { Navigate, useNavigate } from '../lib/router.tsx'

/** Leads everybody else to /login, replacing history (docs/specification.md section 2). */
export function SignedInOnly({ children }: { children: ReactNode }) {
  const { status } = useSession()
  if (status === 'signed_in') return children
  // A person who has just signed out goes to / and does not see /login on the way.
  return isLeaving() ? null : <Navigate to={webPaths.login} replace />
}

/** Leads a signed-in person to / (decision G-01); a session that still lacks its second step may stay. */
export function SignedOutOnly({ children }: { children: ReactNode }) {
  const { status } = useSession()
  return status === 'signed_in' ? <Navigate to={webPaths.home} replace /> : children
}

/** After Logout, and after a 401 or 403 of the product API, the way leads to / (docs/specification.md sections 2 and 8). */
export function LeadOut() {
  const { status } = useSession()
  const navigate = useNavigate()
  useEffect(() => {
    if (status === 'signed_in' || !isLeaving()) return
    navigate(webPaths.home, { replace: true })
    hasLeft()
  }, [status, navigate])
  return null
}
