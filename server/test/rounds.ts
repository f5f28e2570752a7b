/** Rounds of a race: few in `npm test`; `RACE_ROUNDS=100` for the full size. */
export function rounds(): number {
  return Number(process.env.RACE_ROUNDS ?? 10)
}

/** Time for a test of so many rounds. */
export const RACE_TIMEOUT_MS = 600_000 + rounds() * 1000
