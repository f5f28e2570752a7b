import { BRAND } from '@tradepost/contract/brand'
import { useNewerVersion } from '../lib/newer-version.ts'
import { Button } from '../ui/button.tsx'

/** Says that this page is older than the server, and shows less than there is. Loading it anew is left to the person, who may be typing. */
export function NewerVersionNotice() {
  return (
    <div role="status" data-slot="newer-version" className="empty:hidden">
      {useNewerVersion() && (
        <p className="mb-4 flex flex-wrap items-center justify-between gap-x-4 rounded-lg border border-border bg-muted px-4 py-1.5 text-sm">
          <span>{`There is a new version of ${BRAND}. This page cannot show all of what it says.`}</span>
          <Button variant="link" size="sm" className="min-w-0 px-0" onClick={() => location.reload()}>
            Load it
          </Button>
        </p>
      )}
    </div>
  )
}
