import type { Factor } from '@supabase/auth-js'
import { useEffect, useRef, useState } from 'react'
import { formatDate } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import { RemoveFactor } from './remove-factor.tsx'

type TwoStepOnProps = {
  /** The confirmed ones. */
  factors: Factor[]
  takesFocus: boolean
  /** Recovery codes that were made a moment ago, until the person has kept them. */
  codes: string[] | null
  onCodes: (codes: string[] | null) => void
  onRemoved: () => void
}

/** The authenticator apps that guard the account: one, unless another client enrolled more. */
export function TwoStepOn({ factors, takesFocus, codes, onCodes, onRemoved }: TwoStepOnProps) {
  const [removing, setRemoving] = useState<Factor | null>(null)
  const sentence = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    if (takesFocus) sentence.current?.focus()
  }, [takesFocus])

  return (
    <>
      <p ref={sentence} tabIndex={-1} className="text-sm text-muted-foreground outline-none">
        On. Signing in also takes a code from your authenticator app.
      </p>
      <ul className="space-y-3">
        {factors.map((factor) => (
          <li key={factor.id} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
            <span className="wrap-anywhere">
              {`${factor.friendly_name || 'Authenticator app'}, since ${formatDate(factor.created_at)}`}
            </span>
            <Button variant="outline" size="sm" onClick={() => setRemoving(factor)}>
              Remove
            </Button>
          </li>
        ))}
      </ul>
      <RecoveryCodes codes={codes} onCodes={onCodes} />
      {removing !== null && (
        <RemoveFactor factorId={removing.id} onRemoved={onRemoved} onDismiss={() => setRemoving(null)} />
      )}
    </>
  )
}
