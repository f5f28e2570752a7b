import { useState } from 'react'

/**
 * Which items of a list were answered as unread since it is shown. It is read as soon as it is seen, and asked again after an
 * event: what somebody is looking at as new stays so until they leave.
 */
export function useStillNew(items: readonly { id: string; unread: boolean }[]): ReadonlySet<string> {
  const [known, setKnown] = useState<ReadonlySet<string>>(new Set())
  const more = items.filter(({ id, unread }) => unread && !known.has(id))
  if (more.length === 0) return known
  const all = new Set([...known, ...more.map(({ id }) => id)])
  setKnown(all)
  return all
}
