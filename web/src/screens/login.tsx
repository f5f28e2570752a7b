import { webPaths } from '@tradepost/contract/web-paths'
import { useEffect } from 'react'
import { LoginForm } from '../features/session/login-form.tsx'
import { LoginFrame } from '../features/session/login-frame.tsx'
import { useLocation, useNavigate } from '../lib/router.tsx'
import { settings } from '../lib/settings.ts'
import { keepWantedItem, readWantedItem } from '../lib/wanted.ts'

/** /login: e-mail entry, then code entry (docs/specification.md section 2). */
export function LoginScreen() {
  useWantedItem()
  return (
    <LoginFrame>
      <LoginForm mailboxUrl={settings.sandbox?.mailboxUrl ?? null} />
    </LoginFrame>
  )
}

/** Stores the item that the address names, and writes it into the address where a sign-in link opened another tab. */
function useWantedItem(): void {
  const { hash, search } = useLocation()
  const navigate = useNavigate()
  useEffect(() => {
    const item = new URLSearchParams(search).get('item')
    if (item !== null) return keepWantedItem(item, Date.now())
    const wanted = readWantedItem(Date.now())
    if (wanted !== null) navigate(webPaths.loginFor(wanted) + hash, { replace: true })
  }, [search, hash, navigate])
}
