import { REFUSALS, type RefusalCode, type RefusalWords, refusalMessage } from '@tradepost/contract/errors'

type RefusalDetails = RefusalWords & { retryAfterSeconds?: number | null; beside?: object }

/** An expected refusal: thrown by a rule, answered by the error handler with its status and its one sentence. */
export class Refusal extends Error {
  readonly code: RefusalCode
  readonly status: number
  readonly retryAfterSeconds: number | null
  readonly beside: object

  constructor(code: RefusalCode, { beside = {}, retryAfterSeconds = null, ...words }: RefusalDetails) {
    super(refusalMessage(code, words))
    this.code = code
    this.status = REFUSALS[code].status
    this.retryAfterSeconds = retryAfterSeconds
    this.beside = beside
  }
}

/**
 * @param code from the closed list of section 3.1
 * @param details.symbol the ticker that the sentence names; likewise its other words
 * @param details.retryAfterSeconds sent as Retry-After
 * @param details.beside what the answer holds beside code and sentence
 */
export function refusal(code: RefusalCode, details: RefusalDetails = {}): Refusal {
  return new Refusal(code, details)
}
