import { webPaths } from '@tradepost/contract/web-paths'
import { type ReactNode, Suspense } from 'react'
import { Link } from '../lib/router.tsx'
import { ThemeMenu } from '../ui/theme-menu.tsx'
import { Wordmark } from '../ui/wordmark.tsx'

/** The frame of a screen for somebody who is not signed in: the wordmark, the theme menu, the content. */
export function VisitorFrame({ children }: { children: ReactNode }) {
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="mx-auto flex h-16 w-full max-w-[1080px] items-center justify-between px-6 print:hidden">
        <Link
          to={webPaths.home}
          className="flex h-11 items-center rounded-md outline-none focus-visible:ring-2 focus-visible:ring-ring"
        >
          <Wordmark withMark />
        </Link>
        <ThemeMenu />
      </header>
      <main tabIndex={-1} className="mx-auto w-full max-w-[1080px] flex-1 px-6 py-8 outline-none">
        <Suspense fallback={null}>{children}</Suspense>
      </main>
    </div>
  )
}
