import { LoginForm } from '../features/session/login-form.tsx'
import { LoginFrame } from '../features/session/login-frame.tsx'
import { settings } from '../lib/settings.ts'

/** /login: e-mail entry, then code entry (docs/specification.md section 2). */
export function LoginScreen() {
  return (
    <LoginFrame>
      <LoginForm mailboxUrl={settings.sandbox?.mailboxUrl ?? null} />
    </LoginFrame>
  )
}
