import { settings } from '../../lib/settings.ts'

/** Nobody shall take the payments sandbox for real money, or type a real card into it. */
export function SandboxMoneyLine() {
  if (!settings.sandbox?.payments) return null
  return (
    <p className="text-sm text-muted-foreground">
      <span>{'Sandbox: no real money moves. Test card: '}</span>
      <span className="whitespace-nowrap tabular-nums">4242 4242 4242 4242</span>
    </p>
  )
}
