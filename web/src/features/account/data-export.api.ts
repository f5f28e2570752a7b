import { dataEndpoints } from '@tradepost/contract/data-endpoints'
import type { ExportAnswer } from '@tradepost/contract/data-export'
import { call } from '../../lib/api.ts'
import { ApiRefusal, messageOf } from '../../lib/api-refusal.ts'

/** Makes the way to a file of one's data. @returns `mail_due` where a mailed code must be given first */
export async function requestExport(): Promise<
  { kind: 'made'; file: ExportAnswer } | { kind: 'mail_due' } | { kind: 'refused'; sentence: string }
> {
  try {
    return { kind: 'made', file: await call(dataEndpoints.requestExport) }
  } catch (error) {
    if (error instanceof ApiRefusal && error.code === 'reauthentication_needed') return { kind: 'mail_due' }
    return { kind: 'refused', sentence: messageOf(error) }
  }
}
