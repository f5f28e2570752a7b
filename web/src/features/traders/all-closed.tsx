import { useState } from 'react'
import { usePart } from '../../lib/use-part.ts'
import { Button } from '../../ui/button.tsx'
import { PartFailure } from '../../ui/part-failure.tsx'

/** Fetched when somebody asks for it. */
const loadList = () => import('./closed-list.tsx')

/** The way from the ten newest closed positions to all of them, in any order. */
export function AllClosed({ username, count }: { username: string; count: number }) {
  const [wanted, setWanted] = useState(false)
  const { code, failed, retry } = usePart(loadList, wanted)
  if (count === 0) return null
  if (code) return <code.ClosedList username={username} />
  return (
    <>
      <Button variant="outline" loading={wanted && !failed} onClick={() => setWanted(true)}>
        {count === 1 ? 'The closed position in full' : `All ${count} closed positions`}
      </Button>
      {failed && <PartFailure what="The list" onRetry={retry} onDismiss={() => setWanted(false)} />}
    </>
  )
}
