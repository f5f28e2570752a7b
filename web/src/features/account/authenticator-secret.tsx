import { Copy } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.ts'

type AuthenticatorSecretProps = {
  /** The picture as a data URL, as the sign-in client hands it on. */
  qrCodeUrl: string
  /** Base32. */
  secret: string
}

/** What an authenticator app has to know: to be scanned, or to be typed. */
export function AuthenticatorSecret({ qrCodeUrl, secret }: AuthenticatorSecretProps) {
  return (
    <div className="flex flex-col gap-5 sm:flex-row">
      {/* White around it in both themes: a camera needs the edge. */}
      <img
        src={qrCodeUrl}
        alt="QR code of the secret"
        width={208}
        height={208}
        className="size-52 shrink-0 rounded-lg border border-border bg-white"
      />
      <div className="min-w-0 space-y-2 text-sm">
        <p className="text-muted-foreground">Or type this secret into the app:</p>
        <p
          translate="no"
          className="rounded-md bg-muted px-3 py-2 font-mono text-[0.9375rem] leading-relaxed select-all"
        >
          {groupsOfFour(secret)}
        </p>
        <Button variant="outline" size="sm" onClick={() => void copy(secret)}>
          <Copy aria-hidden="true" />
          <span>Copy secret</span>
        </Button>
        <p className="text-muted-foreground">
          It is not shown again. Once it is confirmed you get recovery codes, should you lose your app.
        </p>
      </div>
    </div>
  )
}

/** As people read it aloud and type it; apps ignore the spaces. */
function groupsOfFour(secret: string): string {
  return secret.match(/.{1,4}/g)?.join(' ') ?? secret
}

async function copy(secret: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(secret)
    toast.success('Secret copied.')
  } catch {
    // The browser has no clipboard here, or keeps it to itself.
    toast.error('Copying did not work. Please select the secret instead.')
  }
}
