import { expect, test } from 'vitest'
import { ENDPOINT_REFUSALS } from './endpoint-refusals.ts'
import { ENDPOINT_SUMMARIES } from './endpoint-summaries.ts'
import { endpoints } from './endpoints.ts'
import { REFUSALS, refusalMessage } from './errors.ts'

test('no endpoint names a refusal that would sign its user out', () => {
  for (const refusals of Object.values(ENDPOINT_REFUSALS)) {
    for (const code of refusals) expect([401, 403]).not.toContain(REFUSALS[code].status)
  }
})

test('every refusal has a sentence, and none is left with a hole', () => {
  for (const code of Object.keys(REFUSALS) as (keyof typeof REFUSALS)[]) {
    expect(refusalMessage(code, { symbol: 'AAPL', currency: 'USD', from: '$3.00', to: '$500.00' })).toMatch(
      /^[^{}]+$/,
    )
  }
  expect(refusalMessage('position_exists', { symbol: 'AAPL' })).toContain('in AAPL.')
})

test('every call has a sentence about its purpose', () => {
  for (const [name, summary] of Object.entries(ENDPOINT_SUMMARIES))
    expect(summary, name).toMatch(/^[A-Z].+\.$/)
})

test('only calls with a payload name a body', () => {
  const withBody = Object.values(endpoints).filter((endpoint) => 'body' in endpoint)
  expect(withBody.every((endpoint) => endpoint.method === 'POST')).toBe(true)
})
