import { QueryClient } from '@tanstack/react-query'
import type { Mark } from '@tradepost/contract/marks'
import { expect, test } from 'vitest'
import { marksQuery, positionsQuery } from '../../features/positions/positions.api.ts'
import { changeBy } from './change-lists.ts'

const AT = '2026-11-18T15:00:00.000Z'

/** The marks of a page with these rights after a position was opened in AAPL at 100. */
async function marksAfterOpening(rights: 'delayed' | 'percent', known: Mark[]): Promise<Mark[] | undefined> {
  const client = new QueryClient()
  client.setQueryData(positionsQuery.queryKey, [])
  // As of before the opening.
  client.setQueryData(marksQuery.queryKey, known, { updatedAt: Date.parse(AT) - 1000 })
  const position = {
    id: 'p1',
    active: true,
    stock: 'AAPL',
    holdLength: 'one_to_three_weeks' as const,
    openNotes: 'n',
    openPrice: 100,
    openedAt: AT,
    user: 'maria',
  }
  await changeBy(client, { type: 'opened', at: AT, position }, rights)
  return client.getQueryData(marksQuery.queryKey)
}

test('where prices are late an opening brings none, and leaves the late price of its symbol', async () => {
  expect(await marksAfterOpening('delayed', [])).toEqual([
    { symbol: 'AAPL', price: null, at: null, state: 'waiting', rights: 'delayed' },
  ])
  const at = '2026-11-18T14:44:30.000Z'
  const late: Mark = { symbol: 'AAPL', price: '90', at, state: 'current', rights: 'delayed' }
  expect(await marksAfterOpening('delayed', [late])).toEqual([late])
})

test('where gains alone are shown an opening brings its own, beside those of other positions', async () => {
  const part = { symbol: 'AAPL', price: null, state: 'current', rights: 'percent' } as const
  const known: Mark = { ...part, at: '2026-11-18T14:59:30.000Z', gains: { p0: 12 } }
  expect(await marksAfterOpening('percent', [known])).toEqual([{ ...part, at: AT, gains: { p0: 12, p1: 0 } }])
})
