import { REFUSALS, type RefusalCode, refusalMessage } from '@tradepost/contract/errors'

/** An expected refusal: thrown by a rule, answered by the error handler with its status and its one sentence. */
export class Refusal extends Error {
  readonly code: RefusalCode
  readonly status: number
  readonly retryAfterSeconds: number | null

  constructor(code: RefusalCode, symbol: string, retryAfterSeconds: number | null) {
    super(refusalMessage(code, symbol))
    this.code = code
    this.status = REFUSALS[code].status
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/**
 * @param code from the closed list of decisions 3.1
 * @param details.symbol the ticker that the sentence names
 * @param details.retryAfterSeconds sent as Retry-After
 */
export function refusal(
  code: RefusalCode,
  details: { symbol?: string; retryAfterSeconds?: number } = {},
): Refusal {
  return new Refusal(code, details.symbol ?? '', details.retryAfterSeconds ?? null)
}
