import { BRAND } from '@tradepost/contract/brand'
import { MAIN_SCREEN_TOAST_MS } from '@tradepost/contract/limits'
import { webPaths } from '@tradepost/contract/web-paths'
import { Share2 } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.ts'

/** Hands a profile's address to the system's share sheet, or where there is none copies it. */
export function ShareButton({ username }: { username: string }) {
  const url = new URL(webPaths.trader(username), location.href).href
  return (
    <Button
      variant="outline"
      size="icon"
      aria-label="Share this profile"
      onClick={() => void share(username, url)}
    >
      <Share2 aria-hidden="true" />
    </Button>
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
