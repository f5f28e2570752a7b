import { readFileSync } from 'node:fs'

/**
 * Where the sandbox takes the time from; its parts are given it and never ask the machine.
 * @property isSteady nothing but time moves it; another one has to be asked again and again
 */
export type Clock = { now(): Date; isSteady?: true }

/**
 * The machine's time, shifted by the milliseconds that `offsetFile` holds. The file is read again at every look, so
 * one write moves every process that reads it; a missing or unreadable file means no shift.
 * @param offsetFile null: the plain time
 */
export function makeClock(offsetFile: string | null): Clock {
  if (offsetFile === null) return { now: () => new Date(), isSteady: true }
  return { now: () => new Date(Date.now() + readOffset(offsetFile)) }
}

function readOffset(path: string): number {
  try {
    const offset = Number(readFileSync(path, 'utf8'))
    return Number.isFinite(offset) ? offset : 0
  } catch {
    return 0
  }
}
