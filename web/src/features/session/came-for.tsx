import { X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Link } from '../../lib/router.tsx'
import { forgetWanted, readWanted } from '../../lib/wanted.ts'
import { Button } from '../../ui/button.tsx'
import { findWantedPage } from './wanted-page.ts'

/** Leads on to the page that somebody came for before they signed in (rule G-02). @param onGone it was used, dismissed, or is none of ours */
export function CameFor({ onGone }: { onGone: () => void }) {
  const [page] = useState(() => findWantedPage(readWanted(Date.now()) ?? ''))
  function end(): void {
    forgetWanted()
    onGone()
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: it stays what it was
  useEffect(() => {
    if (page === null) end()
  }, [])
  if (page === null) return null
  const { address, isTrader, link, name } = page
  return (
    <div className="flex min-h-11 items-center justify-between gap-3 rounded-lg border border-border bg-card pl-4">
      <p className="min-w-0 py-2">
        <span>{'You came for '}</span>
        <span translate={isTrader ? 'no' : undefined} className="font-medium wrap-anywhere">
          {name}
        </span>
        <span>{': '}</span>
        <Link to={address} onClick={forgetWanted} className="font-medium underline underline-offset-4">
          {link}
        </Link>
      </p>
      <Button variant="ghost" size="icon" aria-label="Dismiss" className="shrink-0" onClick={end}>
        <X aria-hidden="true" />
      </Button>
    </div>
  )
}
