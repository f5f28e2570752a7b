import { queryOptions, useQuery } from '@tanstack/react-query'
import { sessionEndpoints } from '@tradepost/contract/session-endpoints'
import { call } from '../../lib/api.ts'
import { ApiRefusal, messageOf } from '../../lib/api-refusal.ts'
import type { Refused } from './two-step.api.ts'

/** How many recovery codes are left: asked whenever it is shown, since they are used elsewhere. */
const secondStepQuery = queryOptions({
  queryKey: ['second-step'],
  queryFn: ({ signal }) => call(sessionEndpoints.secondStep, undefined, signal),
  retry: false,
})

export function useSecondStep() {
  return useQuery(secondStepQuery)
}

/** Makes ten recovery codes, returned here and never again. @returns `mail_due` where a mailed code must be given first */
export async function makeRecoveryCodes(): Promise<
  { kind: 'made'; codes: string[] } | { kind: 'mail_due' } | Refused
> {
  try {
    return { kind: 'made', codes: (await call(sessionEndpoints.makeRecoveryCodes)).codes }
  } catch (error) {
    if (error instanceof ApiRefusal && error.code === 'reauthentication_needed') return { kind: 'mail_due' }
    return { kind: 'refused', sentence: messageOf(error) }
  }
}
