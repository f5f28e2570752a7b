import { useQuery } from '@tanstack/react-query'
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { claimDrafts } from '../../lib/drafts.ts'
import { makePosition } from './make-position.ts'
import { positionsQuery } from './positions.api.ts'
import { PositionsList } from './positions-list.tsx'
import { renderOver } from './test-page.tsx'

afterEach(() => {
  cleanup()
  claimDrafts('')
  vi.unstubAllGlobals()
})

function List() {
  const { data = [] } = useQuery({ ...positionsQuery, enabled: false })
  return (
    <PositionsList
      positions={data}
      tab="all"
      username="fan"
      refreshError={null}
      loadedAt={0}
      onRetry={() => undefined}
      onRemoved={() => undefined}
    />
  )
}

test('an open window of a position follows a split of it', async () => {
  const position = makePosition({ openPrice: 100 })
  const mark = (price: string) => ({ symbol: 'AAPL', price, at: new Date().toISOString(), state: 'current' })
  const { client } = renderOver({ '/v1/marks': { body: { marks: [mark('25')] } } }, <List />)
  act(() => void client.setQueryData(positionsQuery.queryKey, [position]))
  fireEvent.click(await screen.findByRole('button', { name: 'AAPL' }))
  await screen.findByRole('dialog')
  // Split four for one: the list has it by the feed, or by its next answer.
  act(() => void client.setQueryData(positionsQuery.queryKey, [{ ...position, openPrice: 25 }]))
  const dialog = screen.getByRole('dialog')
  await waitFor(() => expect(dialog.textContent).toContain('%'))
  expect(dialog.textContent).not.toContain('75.00%')
  expect(dialog.textContent).toContain('$25.00')
})
