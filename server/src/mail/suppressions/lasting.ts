const HOUR_MS = 3_600_000
/** Refusals last after so many times in so long a span (section 3.5, Delivery; ADR 0089). A single mail that is refused over a day has been refused twice. */
const LASTING = {
  address: { times: 1, spanMs: 24 * HOUR_MS },
  recipient: { times: 3, spanMs: 72 * HOUR_MS },
}

/**
 * Whether refusals of a person are believed, at RCPT, after the dot, in reports and in webhooks alike.
 * @param about the subject of the last one
 * @param refused for how many mails, this one with them, and when for the first time (UTC); null for never
 */
export function isBelieved(
  about: 'address' | 'recipient',
  refused: { times: number; first: Date | null },
  now: Date,
): boolean {
  const { spanMs, times } = LASTING[about]
  return refused.first !== null && refused.times >= times && now.getTime() - refused.first.getTime() >= spanMs
}
