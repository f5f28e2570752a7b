import { readFileSync } from 'node:fs'

/** The one source of the instant for every rule (rule G-80); rules take the instant as a parameter. */
export type Clock = { now(): Date }

export const systemClock: Clock = { now: () => new Date() }

/** The clock of a process: the system's, unless its environment names a file (`CLOCK_FILE`). */
export function clockOf(env: { CLOCK_FILE?: string | undefined }): Clock {
  return env.CLOCK_FILE ? fileClock(env.CLOCK_FILE) : systemClock
}

/**
 * A clock for tests that run several processes: the file holds an offset in milliseconds and is read again at every
 * look, so one write moves all of them. A missing file means no offset.
 */
function fileClock(path: string): Clock {
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
