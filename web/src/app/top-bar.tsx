import { webPaths } from '@tradepost/contract/web-paths'
import { Menu } from 'lucide-react'
import { useState } from 'react'
import { Link } from '../lib/router.tsx'
import { usePart } from '../lib/use-part.ts'
import { Button } from '../ui/button.tsx'
import { PartFailure } from '../ui/part-failure.tsx'
import { ThemeMenu } from '../ui/theme-menu.tsx'
import { Wordmark } from '../ui/wordmark.tsx'
import { ActivityLink } from './activity-link.tsx'

const loadDrawer = () => import('./mobile-drawer.tsx')

/**
 * What replaces the side navigation on small screens (docs/specification.md section 2). The sheet's library comes on intent.
 */
export function TopBar() {
  const [open, setOpen] = useState(false)
  const [wanted, setWanted] = useState(false)
  const drawer = usePart(loadDrawer, wanted)
  function toggle(next: boolean): void {
    setWanted(true)
    setOpen(next)
  }
  return (
    <header className="sticky top-0 z-30 flex h-14 items-center border-b border-border bg-background px-4 md:hidden print:hidden">
      <Link
        to={webPaths.home}
        className="mr-auto inline-flex h-11 items-center rounded-md px-2 outline-none focus-visible:ring-2 focus-visible:ring-ring"
      >
        <Wordmark withMark />
      </Link>
      <ActivityLink />
      <ThemeMenu />
      <Button
        variant="ghost"
        size="icon"
        aria-label="Menu"
        aria-haspopup="dialog"
        aria-expanded={open}
        onPointerDown={() => setWanted(true)}
        onFocus={() => setWanted(true)}
        onClick={() => toggle(true)}
      >
        <Menu aria-hidden="true" className="size-5" />
      </Button>
      {drawer.code && <drawer.code.MobileDrawer open={open} onOpenChange={toggle} />}
      {open && drawer.failed && (
        <PartFailure what="The menu" onRetry={drawer.retry} onDismiss={() => toggle(false)} />
      )}
    </header>
  )
}
