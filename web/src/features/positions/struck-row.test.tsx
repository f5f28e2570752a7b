import { cleanup, screen, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { makePosition } from './make-position.ts'
import { PositionsList } from './positions-list.tsx'
import { renderOver } from './test-page.tsx'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-18T15:00:00.000Z') }))
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const openedAt = '2026-10-26T15:00:00.000Z'
const struck = makePosition({ id: 'p1', stock: 'GLCH', openedAt, struck: true, struckReason: 'A glitch.' })
const real = makePosition({ id: 'p2', stock: 'REAL', openedAt })

function show(positions: (typeof real)[]): void {
  const nothing = () => undefined
  renderOver(
    { '/v1/marks': { body: { marks: [] } } },
    <PositionsList
      positions={positions}
      tab="personal"
      username="maria"
      refreshError={null}
      loadedAt={0}
      onRetry={nothing}
      onRemoved={nothing}
    />,
  )
}

test('the row of a struck position shows that in the place of that it is public, and other rows do not', () => {
  show([struck, real])
  const [, one, other] = screen.getAllByRole('row')
  within(one as HTMLElement).getByText('Struck')
  expect(one?.textContent).not.toContain('public')
  expect(other?.textContent).not.toContain('Struck')
  expect(other?.textContent).toContain('public since Nov 17')
})

test('a struck position of one’s own is not among those that are counted above the list', async () => {
  show([struck, real])
  await screen.findByText('Yours: 1 open')
})
