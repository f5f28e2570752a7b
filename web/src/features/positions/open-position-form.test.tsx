import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { makePosition } from './make-position.ts'
import { OpenPositionForm } from './open-position-form.tsx'
import { positionsQuery } from './positions.api.ts'
import { button, field, press, renderOver, type } from './test-page.tsx'

const PREVIEW = '/v1/positions/preview'
const OPEN = '/v1/positions/open'
const preview = { price: '187.52', key: 'the-key', symbol: 'AAPL', expiresAt: '2026-11-18T15:02:00.000Z' }

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

function show(
  options: { api?: Parameters<typeof renderOver>[0]; username?: string; marketOpen?: boolean } = {},
) {
  const onOpened = vi.fn()
  const { api = { [PREVIEW]: { body: preview } }, username = 'maria', marketOpen = true } = options
  const page = renderOver(
    api,
    <OpenPositionForm username={username} marketOpen={marketOpen} onOpened={onOpened} />,
  )
  return { ...page, onOpened }
}

async function checkPrice(ticker = 'aapl'): Promise<void> {
  type('Ticker', ticker)
  press('Check Price')
  await waitFor(() => expect(field('Price').value).not.toBe(''))
}

async function fillIn(): Promise<void> {
  await checkPrice()
  type('Position length', 'one_to_three_weeks')
  type('Open notes', 'ten chars.')
  fireEvent.click(screen.getByRole('checkbox'))
}

test('Check Price waits for a ticker and a username', () => {
  show()
  expect(button('Check Price').disabled).toBe(true)
  type('Ticker', 'aapl')
  expect(button('Check Price').disabled).toBe(false)
  cleanup()
  show({ username: '' })
  type('Ticker', 'aapl')
  expect(button('Check Price').disabled).toBe(true)
})

test('Open Position waits for each part', async () => {
  show()
  await fillIn()
  expect(field('Price').value).toBe('187.52')
  expect(button('Open Position').disabled).toBe(false)
  type('Open notes', 'nine char')
  expect(button('Open Position').disabled).toBe(true)
  type('Open notes', 'ten chars.')
  fireEvent.click(screen.getByRole('checkbox'))
  expect(button('Open Position').disabled).toBe(true)
})

test('everything filled in is not enough while the market is closed or without a username', async () => {
  show({ marketOpen: false })
  await fillIn()
  expect(button('Open Position').disabled).toBe(true)
})

test('editing the ticker takes price and permission away', async () => {
  show()
  await fillIn()
  type('Ticker', 'aap')
  expect(field('Price').value).toBe('')
  expect(button('Open Position').disabled).toBe(true)
})

test('the reason appears in the price field until the ticker is edited', async () => {
  const message = "We couldn't find a price for ZZZZ."
  show({ api: { [PREVIEW]: { status: 404, body: { message } } } })
  await checkPrice('zzzz')
  expect(field('Price').value).toBe(message)
  expect(field('Price').getAttribute('aria-invalid')).toBe('true')
  expect(field('Price').readOnly).toBe(true)
  type('Ticker', 'zzz')
  expect(field('Price').value).toBe('')
  expect(field('Price').getAttribute('aria-invalid')).toBeNull()
})

test('exactly four fields are sent, and the list has the position', async () => {
  const position = makePosition({ id: 'new' })
  const { sent, client, onOpened } = show({
    api: { [PREVIEW]: { body: preview }, [OPEN]: { status: 201, body: { position } } },
  })
  client.setQueryData(positionsQuery.queryKey, [makePosition({ id: 'old' })])
  await fillIn()
  press('Open Position')
  await waitFor(() => expect(onOpened).toHaveBeenCalledOnce())
  // On a busy machine tickers are offered in between.
  const trading = sent.filter(({ path }) => !path.startsWith('/v1/symbols'))
  expect(trading.map(({ path }) => path)).toEqual([PREVIEW, OPEN])
  expect(trading[0]?.body).toEqual({ symbol: 'AAPL' })
  expect(trading[1]?.body).toEqual({
    symbol: 'AAPL',
    key: 'the-key',
    openNotes: 'ten chars.',
    positionLength: 'one_to_three_weeks',
  })
  expect(client.getQueryData(positionsQuery.queryKey)?.map(({ id }) => id)).toEqual(['old', 'new'])
})

test('a list that was never loaded is not made up', async () => {
  const body = { position: makePosition() }
  const { client, onOpened } = show({
    api: { [PREVIEW]: { body: preview }, [OPEN]: { status: 201, body } },
  })
  await fillIn()
  press('Open Position')
  await waitFor(() => expect(onOpened).toHaveBeenCalled())
  expect(client.getQueryData(positionsQuery.queryKey)).toBeUndefined()
})

test.each([
  [{ status: 409, body: { message: 'X' } }, 'X'],
  [{ status: 500, body: {} }, 'Something went wrong, please try again.'],
])('the refusal %j opens the dialog and loses nothing', async (refusal, sentence) => {
  const { onOpened } = show({ api: { [PREVIEW]: { body: preview }, [OPEN]: refusal } })
  await fillIn()
  press('Open Position')
  await screen.findByText('Unable to open position')
  screen.getByText('Something went wrong...')
  screen.getByText(sentence)
  expect(onOpened).not.toHaveBeenCalled()
  press('Back to the form')
  await waitFor(() => expect(screen.queryByText('Unable to open position')).toBeNull())
  expect(field('Ticker').value).toBe('aapl')
  expect(field('Price').value).toBe('187.52')
  expect(field('Position length').value).toBe('one_to_three_weeks')
  expect(field('Open notes').value).toBe('ten chars.')
  expect(screen.getByRole<HTMLInputElement>('checkbox').checked).toBe(true)
  expect(button('Open Position').disabled).toBe(false)
})

test('exactly the five lengths are offered', () => {
  show()
  const offered = screen.getAllByRole('option').map((option) => option.textContent)
  expect(offered).toEqual(['Less than a week', '1-3 weeks', '1-3 months', '3-6 months', '6+ months'])
})
