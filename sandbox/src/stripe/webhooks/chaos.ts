import { createHash } from 'node:crypto'

/** How deliveries misbehave. The same seed makes the same disturbances for the same order of deliveries. */
export type Chaos = {
  seed: number
  /** Each delivery waits up to this long, so that the order of arrival is never promised. */
  jitterMs: number
  /** Shares from 0 to 1: delivered twice, held back behind later ones, lost at the first attempt. */
  duplicate: number
  reorder: number
  drop: number
}

export const CALM: Chaos = { seed: 1, jitterMs: 40, duplicate: 0, reorder: 0, drop: 0 }

/** How long a delivery is held back to arrive after those that come later. */
export const HELD_BACK_MS = 1200

/** A number from 0 up to 1 that only the seed, the delivery and the purpose decide. */
export function draw(seed: number, delivery: number, purpose: string): number {
  return createHash('sha256').update(`${seed}:${delivery}:${purpose}`).digest().readUInt32BE(0) / 2 ** 32
}
