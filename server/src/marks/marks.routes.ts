import { endpoints } from '@tradepost/contract/endpoints'
import type { EndpointRegistry } from '../platform/http/register-endpoints.ts'
import { type MarksDeps, readMarks } from './read-marks.ts'

export function marksRoutes(api: EndpointRegistry, deps: MarksDeps): void {
  api.serve(endpoints.marks, ({ caller, now }) => readMarks(deps, caller, now))
}
