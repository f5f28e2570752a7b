import type { MouseEvent } from 'react'
import { logOut } from '../../lib/end-session.ts'
import { toast } from '../../ui/toast.ts'

/** The action of a Logout link, whose address is its target; signing out comes first, so that / has the landing page to show. */
export function leave(event: MouseEvent): void {
  event.preventDefault()
  void logOut().then((everywhere) => {
    if (!everywhere)
      toast.error('Signed out here. Other devices could not be reached and may still be signed in.')
  })
}
