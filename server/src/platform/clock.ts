import { readFileSync } from 'node:fs'

/** The one source of the instant for every rule (decision G-80); rules take what it says as a parameter. */
export type Clock = { now(): Date }

export const systemClock: Clock = { now: () => new Date() }

/**
 * A clock for tests that run several processes: the file holds an offset in milliseconds and is read again at every
 * look, so one write moves all of them. A missing file means no offset.
 */
export function fileClock(path: string): Clock {
  return {
    now() {
      const offset = Number(readOffset(path))
      return new Date(Date.now() + (Number.isFinite(offset) ? offset : 0))
    },
  }
}

function readOffset(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '0'
  }
}
