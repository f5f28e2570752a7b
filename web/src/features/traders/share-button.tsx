import { BRAND } from '@tradepost/contract/brand'
import { MAIN_SCREEN_TOAST_MS } from '@tradepost/contract/limits'
import { webPaths } from '@tradepost/contract/web-paths'
import { Share2 } from 'lucide-react'
import { Link } from '../../lib/router.tsx'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.ts'

type ShareButtonProps = {
  username: string
  /** Whether everybody may read this trader's public page (rule G-109): then that is what is shared. */
  isPublic: boolean
  /** Offers to turn it on: to the trader, where the switch is elsewhere. */
  offersPage?: boolean
}

/** Hands a trader's address to the system's share sheet, or where there is none copies it. */
export function ShareButton({ username, isPublic, offersPage = false }: ShareButtonProps) {
  const path = isPublic ? webPaths.publicPage(username) : webPaths.trader(username)
  const url = new URL(path, location.href).href
  return (
    <>
      <Button
        variant="outline"
        size="icon"
        aria-label="Share this profile"
        onClick={() => void share(username, url)}
      >
        <Share2 aria-hidden="true" />
      </Button>
      {offersPage && !isPublic && (
        <Link
          to={webPaths.profile}
          className="inline-flex min-h-11 items-center text-sm underline underline-offset-4"
        >
          Turn on your public page
        </Link>
      )}
    </>
  )
}

async function share(username: string, url: string): Promise<void> {
  try {
    if ('share' in navigator) await navigator.share({ title: `@${username} on ${BRAND}`, url })
    else await copy(url)
  } catch (error) {
    // Somebody who closes the share sheet has been answered.
    if (error instanceof DOMException && error.name === 'AbortError') return
    toast.error(`The link could not be shared. It is ${url}`)
  }
}

async function copy(url: string): Promise<void> {
  await navigator.clipboard.writeText(url)
  toast.success('Link copied', { duration: MAIN_SCREEN_TOAST_MS })
}
