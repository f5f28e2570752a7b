import { cleanup, screen } from '@testing-library/react'
import type { HistoryEntry } from '@tradepost/contract/position-history'
import { afterEach, expect, test, vi } from 'vitest'
import { PositionHistory } from '../../lib/position-history.tsx'
import { press, renderOver } from './test-page.tsx'

const PATH = '/v1/traders/maria/positions/p1/history'
const OPENED: HistoryEntry = { kind: 'opened', at: '2026-11-18T15:00:00.000Z', price: 1000 }
const CORRECTED: HistoryEntry = {
  kind: 'corrected',
  at: '2026-11-19T15:00:00.000Z',
  end: 'open',
  priceBefore: 1000,
  price: 100,
  reason: 'Nobody traded at that price.',
}

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('the history of a position is listed with its instants, the oldest first', async () => {
  renderOver(
    { [PATH]: { body: { history: [OPENED, CORRECTED] } } },
    <PositionHistory trader="maria" id="p1" />,
  )
  const entries = await screen.findAllByRole('listitem')
  expect(entries.map(({ textContent }) => textContent)).toEqual([
    'Nov 18, 2026, 3:00 PMOpened at $1000.00',
    'Nov 19, 2026, 3:00 PMOpen price set right by Tradepost: $100.00, $1000.00 beforeNobody traded at that price.',
  ])
  screen.getByRole('region', { name: 'History' })
})

test('in the window of an open position nothing is shown of a history that is its opening alone', async () => {
  const { client } = renderOver(
    { [PATH]: { body: { history: [OPENED] } } },
    <PositionHistory trader="maria" id="p1" />,
  )
  await vi.waitFor(() => expect(client.isFetching()).toBe(0))
  expect(client.getQueryCache().getAll()[0]?.state.data).toEqual({ history: [OPENED] })
  expect(screen.queryByText('History')).toBeNull()
})

test('each event that the public record has leads to the page that checks it', async () => {
  const receipts = [{ index: 22_980, size: 22_981, receipt: 'AQID-_' }]
  renderOver(
    { [PATH]: { body: { history: [OPENED], receipts } } },
    <PositionHistory trader="maria" id="p1" />,
  )
  const link = await screen.findByRole('link', { name: 'entry 22,980' })
  expect(link.getAttribute('href')).toBe('/verify#AQID-_')
  expect(screen.queryByText('History')).toBeNull()
})

test('a position without an entry in the public record says so', async () => {
  renderOver(
    { [PATH]: { body: { history: [OPENED], receipts: [] } } },
    <PositionHistory trader="maria" id="p1" />,
  )
  await screen.findByText('no entry')
})

test('a history that could not be loaded shows the failure, and is asked for again', async () => {
  const api: Parameters<typeof renderOver>[0] = {}
  renderOver(api, <PositionHistory trader="maria" id="p1" always />)
  await screen.findByText('The history could not be loaded.')
  api[PATH] = { body: { history: [OPENED] } }
  press('Try again')
  await screen.findByText('Opened at $1000.00')
})
