import { createHash } from 'node:crypto'
import { fields, number, type Of } from '../shape/shape.ts'
import type { Setting } from '../store/settings.ts'

const chaos = fields({
  seed: number,
  /** Each delivery waits up to this long, so that the order of arrival is never promised. */
  jitterMs: number,
  /** Shares from 0 to 1: delivered twice, held back behind later ones, lost at the first attempt. */
  duplicate: number,
  reorder: number,
  drop: number,
})
/** How deliveries misbehave. The same seed makes the same disturbances for the same order of deliveries. */
export type Chaos = Of<typeof chaos>

export const CALM: Chaos = { seed: 1, jitterMs: 40, duplicate: 0, reorder: 0, drop: 0 }

export const CHAOS: Setting<Chaos> = { name: 'chaos', shape: chaos, otherwise: CALM }

const nextDisturbance = fields({ duplicate: number, reorder: number, drop: number })
/** The disturbance of the next delivery, asked for by hand on the control page. */
export type NextDisturbance = Of<typeof nextDisturbance>

export const NO_DISTURBANCE: NextDisturbance = { duplicate: 0, reorder: 0, drop: 0 }

export const NEXT_DISTURBANCE: Setting<NextDisturbance> = {
  name: 'next-disturbance',
  shape: nextDisturbance,
  otherwise: NO_DISTURBANCE,
}

/** How long a delivery is held back to arrive after those that come later. */
export const HELD_BACK_MS = 1200

/** A number from 0 up to 1 that only the seed, the delivery and the purpose decide. */
export function draw(seed: number, delivery: number, purpose: string): number {
  return createHash('sha256').update(`${seed}:${delivery}:${purpose}`).digest().readUInt32BE(0) / 2 ** 32
}
