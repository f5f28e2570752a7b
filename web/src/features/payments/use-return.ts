import { useEffect, useState } from 'react'
import { useNavigate, useSearchParams } from '../../lib/router.tsx'

/**
 * The result with which the payment provider sent the browser back: the value of a query parameter, or null. The address loses it,
 * so that neither a reload nor Back takes it for another return.
 */
export function useReturn(parameter: 'onboarding' | 'portal' | 'canceled'): string | null {
  const [parameters] = useSearchParams()
  const navigate = useNavigate()
  const [value] = useState(() => parameters.get(parameter))
  useEffect(() => {
    if (value === null) return
    const address = new URL(location.href)
    address.searchParams.delete(parameter)
    navigate(address.pathname + address.search + address.hash, { replace: true })
  }, [value, parameter, navigate])
  return value
}
