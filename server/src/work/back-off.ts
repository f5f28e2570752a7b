/** Pauses between tries without success. @property factor from each pause to the next, 2 unless given */
export type BackOff = { firstMs: number; longestMs?: number; factor?: number }

/** @param tries without success so far, at least 1 @returns milliseconds until the next one */
export function backOff(
  { factor = 2, firstMs, longestMs = Number.POSITIVE_INFINITY }: BackOff,
  tries: number,
): number {
  return Math.min(firstMs * factor ** (tries - 1), longestMs)
}

/** 3, 7, 20, 55, 148 seconds … six hours. */
export const SLOWING: BackOff = { firstMs: Math.E * 1000, factor: Math.E, longestMs: Math.exp(10) * 1000 }
