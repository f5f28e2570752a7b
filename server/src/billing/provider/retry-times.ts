/** What a request began and did not finish is finished automatically from then on, with growing pauses. */
export const FIRST_RETRY_MS = 20_000
export const LONGEST_PAUSE_MS = 6 * 3_600_000
