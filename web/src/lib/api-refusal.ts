import { FALLBACK_MESSAGE } from '@tradepost/contract/fallback-message'

type RefusalBody = {
  message?: string | undefined
  code?: string | undefined
  fields?: Record<string, string> | undefined
}

/**
 * A call that was refused, or got no answer. `message` is the sentence to show: the answer's own, else the fallback
 * (docs/specification.md section 8).
 */
export class ApiRefusal extends Error {
  override readonly name = 'ApiRefusal'
  /** HTTP status; 0 when no answer came. */
  readonly status: number
  /** A code of contract/errors, or '' when the answer carried none. */
  readonly code: string
  /** Messages by field name, where the refusal speaks of fields. */
  readonly fields: Readonly<Record<string, string>>
  /** The whole answer; some refusals contain more than the message. */
  readonly answer: unknown

  constructor(status: number, body: RefusalBody = {}, answer?: unknown) {
    super(body.message || FALLBACK_MESSAGE)
    this.status = status
    this.code = body.code ?? ''
    this.fields = body.fields ?? {}
    this.answer = answer
  }
}

/** Whether an error means that the session is over: any 401 or 403 of the product API (docs/specification.md section 6). */
export function endsSession(error: unknown): boolean {
  return error instanceof ApiRefusal && (error.status === 401 || error.status === 403)
}

/** The sentence to show for any error that a screen caught. */
export function messageOf(error: unknown): string {
  return error instanceof ApiRefusal ? error.message : FALLBACK_MESSAGE
}
