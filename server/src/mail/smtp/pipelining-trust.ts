import type { Clock } from '../../platform/clock.ts'

/** Long enough that a server which loses commands costs next to nothing, and one that has been mended is used to the full. */
const MISTRUST_MS = 10 * 60_000

/**
 * Whether the mail server is believed when it offers PIPELINING. Some servers, and devices in between, offer it and lose
 * commands that arrive together with another one; with those, one command at a time is the only way (ADR 0057).
 */
export type PipeliningTrust = {
  readonly given: boolean
  /** A connection came to grief before it had shown that it bears PIPELINING. */
  withdraw(): void
}

/** Shared by the connections of a worker, which all speak to one server. Trust is given again after ten minutes. */
export function makePipeliningTrust(clock: Clock): PipeliningTrust {
  let withdrawnAt: Date | null = null
  return {
    get given() {
      return withdrawnAt === null || clock.now().getTime() - withdrawnAt.getTime() >= MISTRUST_MS
    },
    withdraw() {
      withdrawnAt = clock.now()
    },
  }
}
