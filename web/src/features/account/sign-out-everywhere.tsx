import { FALLBACK_MESSAGE } from '@tradepost/contract/fallback-message'
import { useState } from 'react'
import { signOutEverywhere } from '../../lib/end-session.ts'
import { Alert, AlertDescription } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import {
  Dialog,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogTitle,
} from '../../ui/dialog.tsx'

/**
 * Ends every session of the person after a second thought (decision G-41). Unlike Logout, which leaves this browser in
 * any case, it says when the server could not do it: the other devices are the point.
 */
export function SignOutEverywhere() {
  const [asking, setAsking] = useState(false)
  const [pending, setPending] = useState(false)
  const [failed, setFailed] = useState(false)

  function ask(): void {
    setFailed(false)
    setAsking(true)
  }

  async function signOut(): Promise<void> {
    setPending(true)
    setFailed(false)
    const done = await signOutEverywhere()
    setPending(false)
    setFailed(!done)
  }

  return (
    <>
      <Button variant="link" className="min-w-0 px-0" onClick={ask}>
        Sign out everywhere
      </Button>
      <Dialog open={asking} onOpenChange={(open) => !pending && setAsking(open)}>
        <DialogContent>
          <DialogHeader>
            <DialogTitle>Sign out everywhere?</DialogTitle>
            <DialogDescription>
              This ends your session in every browser and on every device, this one included.
            </DialogDescription>
          </DialogHeader>
          {failed && (
            <Alert variant="destructive">
              <AlertDescription>{FALLBACK_MESSAGE}</AlertDescription>
            </Alert>
          )}
          <DialogFooter>
            <Button variant="outline" disabled={pending} onClick={() => setAsking(false)}>
              Cancel
            </Button>
            <Button loading={pending} onClick={() => void signOut()}>
              Sign out
            </Button>
          </DialogFooter>
        </DialogContent>
      </Dialog>
    </>
  )
}
