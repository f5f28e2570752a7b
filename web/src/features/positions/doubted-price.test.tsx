import { cleanup, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ClosePositionForm } from './close-position-form.tsx'
import { makePosition } from './make-position.ts'
import { OpenPositionForm } from './open-position-form.tsx'
import { field, press, renderOver, type } from './test-page.tsx'

const PREVIEW = '/v1/positions/preview'
const LOOKS_WRONG = 'The price of AAPL looks wrong. We are checking it.'
const DOUBT = `${LOOKS_WRONG} This is the last price that looked right.`
const refused = { code: 'price_suspect', message: LOOKS_WRONG }
const lastPlausible = {
  price: '112.50',
  key: 'the-key',
  symbol: 'AAPL',
  expiresAt: '2026-11-18T15:02:00.000Z',
  expiresInSeconds: 120,
  tradedAt: '2026-11-17T20:59:00.000Z',
  settled: false,
}
const none = () => undefined

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-18T15:00:00.000Z') }))
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

test('a holder whose check is refused with the last plausible price sees that price, why, and when its trade was', async () => {
  const closing = {
    position: makePosition({ openPrice: 100 }),
    onBack: none,
    onBusyChange: none,
    onClosed: none,
  }
  const api = { [PREVIEW]: { status: 409, body: { ...refused, ...lastPlausible } } }
  const { sent } = renderOver(api, <ClosePositionForm {...closing} />)
  press('Check Price')
  await waitFor(() => expect(field('Price').value).toBe('112.50'))
  expect(field('Profit').value).toBe('12.50%')
  expect(field('Price').getAttribute('aria-invalid')).toBeNull()
  const described = (field('Price').getAttribute('aria-describedby') ?? '')
    .split(' ')
    .map((id) => document.getElementById(id)?.textContent)
  expect(described).toEqual([
    expect.stringContaining('Price held'),
    'Last trade of AAPL: Nov 17, 20:59 UTC',
    DOUBT,
  ])
  expect(screen.getByText(DOUBT).getAttribute('aria-hidden')).toBeNull()
  screen.getByText(`The price is $112.50. ${DOUBT} Last trade of AAPL: Nov 17, 20:59 UTC`)
  expect(screen.getByRole('note').textContent).toContain('settles at the next trade')
  type('Close notes', 'ten chars.')
  press('Submit')
  await waitFor(() => expect(sent.at(-1)?.path).toBe('/v1/positions/close'))
  expect(sent.at(-1)?.body).toMatchObject({ key: 'the-key' })
})

test('a trader who holds none of it reads in the price field why there is no price', async () => {
  renderOver(
    { [PREVIEW]: { status: 409, body: refused } },
    <OpenPositionForm username="maria" marketOpen onOpened={none} />,
  )
  type('Ticker', 'aapl')
  press('Check Price')
  await waitFor(() => expect(field('Price').value).toBe(LOOKS_WRONG))
  expect(field('Price').getAttribute('aria-invalid')).toBe('true')
  // The field of the narrowest screens cuts it off. Screen readers read it once.
  expect(screen.getByText(LOOKS_WRONG).getAttribute('aria-hidden')).toBe('true')
  screen.getByText('There is no price. The price field says why.')
})
