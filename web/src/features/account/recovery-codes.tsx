import { useEffect, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { FieldError } from '../../ui/field-error.tsx'
import { MailedCode } from './mailed-code.tsx'
import { NewRecoveryCodes } from './new-recovery-codes.tsx'
import { makeRecoveryCodes, useSecondStep } from './recovery-codes.api.ts'

type RecoveryCodesProps = {
  /** Those that were made a moment ago, until the person has kept them. */
  codes: string[] | null
  onCodes: (codes: string[] | null) => void
}

/** How many recovery codes are left, and the way to new ones. */
export function RecoveryCodes({ codes, onCodes }: RecoveryCodesProps) {
  const { data, refetch } = useSecondStep()
  const [pending, setPending] = useState(false)
  const [proving, setProving] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  // Once somebody has pressed something here, the focus goes along with what takes its place.
  const [acted, setActed] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const isAtRest = codes === null && !proving
  useEffect(() => {
    if (acted && isAtRest) button.current?.focus()
  }, [acted, isAtRest])

  async function make(): Promise<void> {
    setActed(true)
    setPending(true)
    setFailure(null)
    const answer = await makeRecoveryCodes()
    setPending(false)
    setProving(answer.kind === 'mail_due')
    if (answer.kind === 'refused') setFailure(answer.sentence)
    if (answer.kind === 'made') onCodes(answer.codes)
  }

  function kept(): void {
    setActed(true)
    onCodes(null)
    void refetch()
  }

  if (codes !== null) return <NewRecoveryCodes codes={codes} takesFocus={acted} onDone={kept} />
  if (proving) return <MailedCode onConfirmed={make} onCancel={() => setProving(false)} />
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
      <div className="min-w-0 space-y-0.5">
        <p>{data === undefined ? 'Recovery codes' : leftText(data.recoveryCodesLeft)}</p>
        <p className="text-sm text-muted-foreground">
          {data?.recoveryCodesLeft === 0
            ? 'They sign you in if you lose your app.'
            : 'New codes replace the ones you have.'}
        </p>
        <FieldError>{failure}</FieldError>
      </div>
      <Button ref={button} variant="outline" size="sm" loading={pending} onClick={() => void make()}>
        Make new codes
      </Button>
    </div>
  )
}

function leftText(left: number): string {
  if (left === 0) return 'No recovery codes left'
  return left === 1 ? '1 recovery code left' : `${left} recovery codes left`
}
