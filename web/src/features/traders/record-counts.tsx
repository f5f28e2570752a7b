import { useQuery } from '@tanstack/react-query'
import type { TraderProfile } from '@tradepost/contract/traders'
import { webPaths } from '@tradepost/contract/web-paths'
import { askRecord } from '../../lib/record/ask-record.ts'
import { countLeaves, sayCounts } from '../../lib/record/count-leaves.ts'
import { type ReadLeaves, readTraderLeaves } from '../../lib/record/read-leaves.ts'
import { knowsEd25519 } from '../../lib/record/web-signatures.ts'

type RecordCountsProps = { username: string; profile: TraderProfile; now: Date }

/** A trader's open and closed positions as the leaves of the public record show them, beside what the profile says. */
export function RecordCounts({ username, profile, now }: RecordCountsProps) {
  const { data } = useQuery({
    // Like all that an open or a close makes stale.
    queryKey: ['positions', 'record', username],
    queryFn: async () => ((await knowsEd25519()) ? readTraderLeaves(username, askRecord) : null),
  })
  return (
    <p role="status" data-slot="record-counts" className="text-sm text-muted-foreground">
      <span>{data === undefined ? 'The record is read …' : sayCheck(data, profile, now)}</span>
      <span> </span>
      <a href={webPaths.record} className="underline underline-offset-4">
        About the record
      </a>
    </p>
  )
}

function sayCheck(read: ReadLeaves | null, profile: TraderProfile, now: Date): string {
  if (read === null) return 'This browser cannot check signatures of this kind.'
  if (read.outcome === 'unreachable') return 'The record of this trader could not be read now.'
  const counts = read.outcome === 'read' ? countLeaves(read.leaves, now) : null
  if (counts === null) return 'The record of this trader does not lead to what the log signed.'
  if (read.outcome === 'read' && read.leaves.length === 0 && profile.openPositions === 0)
    return 'The record has no entries of this trader yet.'
  const said = `By the record: ${sayCounts(counts, now)}`
  if (counts.open.length === profile.openPositions) return `${said} The profile says the same.`
  return `${said} The profile on this page says ${profile.openPositions} open, which is not the same.`
}
