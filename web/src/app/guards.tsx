import { webPaths } from '@tradepost/contract/web-paths'
import { useEffect } from 'react'
import { useSession } from '../features/session/session-provider.tsx'
import { hasLeft, isLeaving } from '../lib/end-session.ts'
import { Navigate, useNavigate } from '../lib/router.tsx'

/** Leads on from a path that shows this person nothing, replacing history (docs/specification.md section 2). */
export function LeadOn({ to }: { to: string }) {
  // A person who has just signed out goes to / and does not see /login on the way.
  return isLeaving() ? null : <Navigate to={to} replace />
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
