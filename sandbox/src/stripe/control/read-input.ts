import { invalid } from '../refusals/errors.ts'
import { type Fault, REFUSED_STATUSES } from '../wire/faults.ts'

/** The input of a person or a test; values as text, as forms send them. */
export type Input = Record<string, string>

/**
 * A number from 0 to `most`.
 * @throws ApiError when the text is none of these
 */
export function share(text: string | undefined, otherwise: number, most: number): number {
  if (text === undefined || text === '') return otherwise
  const value = Number(text)
  if (!(value >= 0 && value <= most)) throw invalid(`Give a number from 0 to ${most}.`)
  return value
}

/** @throws ApiError when there is no such fault */
export function faultOf(input: Input): Fault {
  switch (input.kind) {
    case 'error':
      return { kind: 'error', status: input.status === '503' ? 503 : 500 }
    case 'slow':
      return { kind: 'slow', ms: share(input.ms, 1000, 60_000) }
    case 'refuse': {
      const status = REFUSED_STATUSES.find((one) => String(one) === input.status)
      if (status === undefined) throw invalid(`A refusal has a status of ${REFUSED_STATUSES.join(', ')}.`)
      return { kind: 'refuse', status }
    }
    case 'rate-limit':
    case 'lost-answer':
      return { kind: input.kind }
    default:
      throw invalid('Faults are error, refuse, rate-limit, slow and lost-answer.')
  }
}
