import type { Position } from '@tradepost/contract/positions'

/**
 * Rows by closeness of the opened date to now, closest first (docs/specification.md section 2): the absolute distance between
 * the two instants decides, so no time zone can change the order; equal distances go by id, newest first (rule
 * G-23).
 * @param now the instant the list is looked at
 * @returns a new list
 */
export function sortPositions(positions: readonly Position[], now: Date): Position[] {
  return positions
    .map((position) => ({ position, distance: Math.abs(now.getTime() - Date.parse(position.openedAt)) }))
    .sort((a, b) => a.distance - b.distance || compareText(b.position.id, a.position.id))
    .map(({ position }) => position)
}

function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
