import { BRAND } from '@tradepost/contract/brand'
import { Copy, Download } from 'lucide-react'
import { useEffect, useId, useRef } from 'react'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.ts'

const FILE_NAME = `${BRAND.toLowerCase()}-recovery-codes.txt`

type NewRecoveryCodesProps = { codes: string[]; takesFocus: boolean; onDone: () => void }

/** Ten recovery codes, the one time that they are shown: to be downloaded, copied or written down. */
export function NewRecoveryCodes({ codes, takesFocus, onDone }: NewRecoveryCodesProps) {
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
