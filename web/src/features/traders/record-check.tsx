import type { TraderProfile } from '@tradepost/contract/traders'
import { useState } from 'react'
import { usePart } from '../../lib/use-part.ts'
import { Button } from '../../ui/button.tsx'
import { PartFailure } from '../../ui/part-failure.tsx'

type RecordCheckProps = { username: string; profile: TraderProfile; now: Date }

/** Fetched when somebody asks for it. */
const loadCounts = () => import('./record-counts.tsx')

/** The way from the figures of a profile to those that this browser counts from the public record (rule G-115). */
export function RecordCheck({ username, profile, now }: RecordCheckProps) {
  const [wanted, setWanted] = useState(false)
  const { code, failed, retry } = usePart(loadCounts, wanted)
  if (code) return <code.RecordCounts username={username} profile={profile} now={now} />
  return (
    <div>
      <Button variant="outline" loading={wanted && !failed} onClick={() => setWanted(true)}>
        Check against the record
      </Button>
      {failed && <PartFailure what="The check" onRetry={retry} onDismiss={() => setWanted(false)} />}
    </div>
  )
}
