import type { Account } from '@tradepost/contract/accounts'
import { webPaths } from '@tradepost/contract/web-paths'
import { useId } from 'react'
import { Switch } from '../../ui/switch.tsx'
import { usePublicPageSwitch } from './about.api.ts'

/** Account > Profile: whether everybody may read one's record, at which address, and what of it (rule G-109). */
export function PublicPagePart({ account }: { account: Account }) {
  const { mutate } = usePublicPageSwitch()
  const title = useId()
  const isOn = account.publicPage === true
  const path = webPaths.publicPage(account.username)
  return (
    <section aria-labelledby={title} className="space-y-2 border-t border-border pt-4">
      <div className="flex min-h-11 items-center justify-between gap-4 sm:min-h-6">
        <h3 id={title} className="text-sm font-medium">
          Public page
        </h3>
        <Switch
          aria-labelledby={title}
          aria-describedby={`${title}-shows`}
          checked={isOn}
          onCheckedChange={(enabled) => mutate(enabled)}
        />
      </div>
      <p className="text-sm text-muted-foreground">
        <span>{isOn ? 'Everybody may read your record at ' : 'Lets everybody read your record at '}</span>
        <span translate="no" className="wrap-anywhere text-foreground">
          {isOn ? (
            <a href={path} className="underline underline-offset-4">
              {location.host + path}
            </a>
          ) : (
            location.host + path
          )}
        </span>
        <span>, without signing in.</span>
      </p>
      <p id={`${title}-shows`} className="text-sm text-muted-foreground">
        It shows your closed positions, their average and curve, and how many are open. An open position
        within its plan is never named, and notes never stand there.
      </p>
    </section>
  )
}
