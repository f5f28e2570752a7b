import { webPaths } from '@tradepost/contract/web-paths'
import { useEffect } from 'react'
import { useSession } from '../features/session/session-provider.tsx'
import { hasLeft, isLeaving } from '../lib/end-session.ts'
import { Navigate, useLocation, useNavigate } from '../lib/router.tsx'
import { keepWanted, wantedPath } from '../lib/wanted-item.ts'

/**
 * Leads on from a path that shows this person nothing, replacing history (docs/specification.md section 2): to / after signing in, or
 * to what the button of a mail led to before (decision G-86).
 */
export function LeadOn({ to }: { to: string }) {
  const location = useLocation()
  useEffect(() => keepWanted(location, Date.now()), [location])
  // A person who has just signed out goes to / and does not see /login on the way.
  if (isLeaving()) return null
  const after = location.pathname === webPaths.login ? wantedPath(Date.now()) : null
  return <Navigate to={after ?? to} replace />
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
