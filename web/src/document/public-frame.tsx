import type { ReactNode } from 'react'
import { PageFooter } from '../features/landing/page-footer.tsx'
import { FixedRouter, Link } from '../lib/router.tsx'
import { buttonLook } from '../ui/button.tsx'
import { Wordmark } from '../ui/wordmark.tsx'

/** Stands around a public page, and around the one of addresses that have none. No script runs there, so no menu either. */
export function PublicFrame({ children }: { children: ReactNode }) {
  return (
    <FixedRouter path="">
      <div className="flex min-h-dvh flex-col">
        <header className="mx-auto flex h-16 w-full max-w-[1080px] items-center justify-between px-6 print:hidden">
          <Link
            to="/"
            className="flex h-11 items-center rounded-md outline-none focus-visible:ring-2 focus-visible:ring-ring"
          >
            <Wordmark withMark />
          </Link>
          <Link to="/login" {...buttonLook({ variant: 'ghost', size: 'sm', className: '-mr-3 min-w-0' })}>
            Login
          </Link>
        </header>
        <main className="mx-auto w-full max-w-[1080px] flex-1 px-6 py-8">{children}</main>
      </div>
      <PageFooter />
    </FixedRouter>
  )
}
