import type { ExportAnswer } from '@tradepost/contract/data-export'
import { Download } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import { formatExactTime } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { FieldError } from '../../ui/field-error.tsx'
import { requestExport } from './data-export.api.ts'
import { MailedCode } from './mailed-code.tsx'

/** Account > Profile: a file of everything that is kept about the person, here and by mail (rule G-118). */
export function DataPart() {
  const title = useId()
  return (
    <section aria-labelledby={title} className="space-y-3 border-t border-border pt-4">
      <h3 id={title} className="text-sm font-medium">
        Your data
      </h3>
      <p className="text-sm text-muted-foreground">
        One file with everything that we keep about you: your account and where you signed in, your positions
        with notes, whom you follow and what you were told, payments, mails and receipts. As JSON, and as
        tables for spreadsheets.
      </p>
      <DataFile />
    </section>
  )
}

function DataFile() {
  const [file, setFile] = useState<ExportAnswer | null>(null)
  const [pending, setPending] = useState(false)
  const [proving, setProving] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const [returned, setReturned] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (returned) button.current?.focus()
  }, [returned])

  async function request(): Promise<void> {
    setPending(true)
    setFailure(null)
    const answer = await requestExport()
    setPending(false)
    setProving(answer.kind === 'mail_due')
    if (answer.kind === 'refused') setFailure(answer.sentence)
    if (answer.kind === 'made') setFile(answer.file)
  }

  function cancel(): void {
    setProving(false)
    setReturned(true)
  }

  if (file !== null) return <FileReady file={file} />
  if (proving) return <MailedCode onConfirmed={request} onCancel={cancel} />
  return (
    <>
      <Button ref={button} variant="outline" size="sm" loading={pending} onClick={() => void request()}>
        Get my data
      </Button>
      {/* Below: a button that moved at each failure would be missed. */}
      <FieldError>{failure}</FieldError>
    </>
  )
}

/** The way to the file is a form, which leaves the page where it is; the file is given once, so the button goes with its press. */
function FileReady({ file }: { file: ExportAnswer }) {
  const [begun, setBegun] = useState(false)
  const note = useRef<HTMLParagraphElement>(null)
  // The button that was pressed is gone, both times.
  const focusNote = () => note.current?.focus()
  useEffect(focusNote, [])
  function begin(): void {
    setBegun(true)
    focusNote()
  }
  return (
    <>
      <p ref={note} role="status" tabIndex={-1} className="text-sm outline-none">
        {begun ? (
          <span>Your download has begun. If it breaks off, use the link in the mail that we sent you.</span>
        ) : (
          <>
            <span>
              {
                'Your file is ready. It can be downloaded once, here or by the link that we mailed you, until '
              }
            </span>
            <span translate="no">{formatExactTime(file.expiresAt)}</span>
            <span>.</span>
          </>
        )}
      </p>
      {!begun && (
        <form method="post" action={file.path} onSubmit={() => setTimeout(begin)}>
          <Button type="submit" size="sm">
            <Download aria-hidden="true" />
            <span>Download</span>
          </Button>
        </form>
      )}
    </>
  )
}
