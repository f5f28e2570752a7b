import { BRAND } from '@tradepost/contract/brand'
import { Copy, Download } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { FieldError } from '../../ui/field-error.tsx'
import { toast } from '../../ui/toast.ts'
import { MailedCode } from './mailed-code.tsx'
import { makeRecoveryCodes, useSecondStep } from './recovery-codes.api.ts'

const FILE_NAME = `${BRAND.toLowerCase()}-recovery-codes.txt`

type NewRecoveryCodesProps = { codes: string[]; takesFocus: boolean; onDone: () => void }

type RecoveryCodesProps = {
  /** The codes that were made a moment ago, until the person has saved them. */
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

/** Ten recovery codes, the one time that they are shown: to be downloaded, copied or written down. */
function NewRecoveryCodes({ codes, takesFocus, onDone }: NewRecoveryCodesProps) {
  const title = useRef<HTMLHeadingElement>(null)
  const id = useId()
  useEffect(() => {
    if (takesFocus) title.current?.focus()
  }, [takesFocus])
  return (
    <section aria-labelledby={id} className="space-y-4 rounded-lg border border-border p-4">
      <div className="space-y-1">
        <h4 ref={title} id={id} tabIndex={-1} className="text-sm font-medium outline-none">
          Your recovery codes
        </h4>
        <p className="text-sm text-muted-foreground">
          Each code works once, in place of your authenticator app. Store them where you can reach them
          without your phone: they are not shown again.
        </p>
      </div>
      <ul className="grid grid-cols-2 gap-x-6 gap-y-1 rounded-md bg-muted px-3 py-2 font-mono text-[0.9375rem] select-all">
        {codes.map((code) => (
          <li translate="no" key={code}>
            {code}
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-3">
        <Button variant="outline" size="sm" onClick={() => download(codes)}>
          <Download aria-hidden="true" />
          <span>Download</span>
        </Button>
        <Button variant="outline" size="sm" onClick={() => void copy(codes)}>
          <Copy aria-hidden="true" />
          <span>Copy codes</span>
        </Button>
        <Button size="sm" onClick={onDone}>
          I have saved them
        </Button>
      </div>
    </section>
  )
}

/** As a text file, by way of an address that only this page knows. */
function download(codes: string[]): void {
  const lines = [`${BRAND} recovery codes for ${location.host}`, 'Each works once.', '', ...codes, '']
  const address = URL.createObjectURL(new Blob([lines.join('\n')], { type: 'text/plain' }))
  const link = document.createElement('a')
  link.href = address
  link.download = FILE_NAME
  link.click()
  URL.revokeObjectURL(address)
}

async function copy(codes: string[]): Promise<void> {
  try {
    await navigator.clipboard.writeText(codes.join('\n'))
    toast.success('Recovery codes copied.')
  } catch {
    // The browser has no clipboard here, or keeps it to itself.
    toast.error('Copying did not work. Please select the codes instead.')
  }
}
