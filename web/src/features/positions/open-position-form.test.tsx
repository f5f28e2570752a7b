import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { makePosition } from './make-position.ts'
import { OpenPositionForm } from './open-position-form.tsx'
import { positionsQuery } from './positions.api.ts'
import { button, field, press, renderOver, spokenAlerts, type } from './test-page.tsx'

const PREVIEW = '/v1/positions/preview'
const OPEN = '/v1/positions/open'
const preview = { price: '187.52', key: 'the-key', symbol: 'AAPL', expiresAt: '2026-11-18T15:02:00.000Z' }

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

type Api = Parameters<typeof renderOver>[0]
type Shown = ReturnType<typeof show> & { api: Api }

function show(options: { api?: Api; username?: string; marketOpen?: boolean } = {}) {
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

test('of a pasted ticker the field shows what was understood, and that is checked', async () => {
  const { sent } = show()
  await checkPrice('\u202a$ＡＡＰＬ\u202c')
  expect(field('Ticker').value).toBe('AAPL')
  const checked = sent.filter(({ path }) => path === PREVIEW)
  expect(checked).toMatchObject([{ body: { symbol: 'AAPL' } }])
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
  // It is the ticker that is wrong.
  expect(field('Ticker').getAttribute('aria-invalid')).toBe('true')
  screen.getByText(message)
  screen.getByText('Check the price again, or another ticker.')
  type('Ticker', 'zzz')
  expect(field('Price').value).toBe('')
  expect(field('Ticker').getAttribute('aria-invalid')).toBeNull()
  expect(screen.queryByText(message)).toBeNull()
  expect(field('Price').getAttribute('aria-invalid')).toBeNull()
})

test('a check that fails for another reason blames no ticker', async () => {
  const message = 'Prices are not available right now.'
  show({ api: { [PREVIEW]: { status: 503, body: { message } } } })
  await checkPrice('aapl')
  expect(field('Price').value).toBe(message)
  expect(field('Ticker').getAttribute('aria-invalid')).toBeNull()
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

test('a position whose first answer was lost counts as opened, also where the live feed opens meanwhile', async () => {
  const used = { status: 409, body: { code: 'preview_used', message: 'X' } }
  const { client, onOpened } = show({
    api: {
      [PREVIEW]: { body: preview },
      [OPEN]: used,
      get '/v1/positions'() {
        // A feed that opens cancels the queries on their way too: their answers may be too old.
        void client.cancelQueries()
        return { body: { positions: [makePosition({ id: 'new' })] } }
      },
    },
  })
  await fillIn()
  press('Open Position')
  await waitFor(() => expect(onOpened).toHaveBeenCalledOnce())
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

const MOVED = 'The price has moved. Check it again.'
const NOTICE = `${MOVED} It was $187.52 and is $188.02 now.`
const moved = {
  status: 409,
  body: {
    ...preview,
    code: 'price_moved',
    message: MOVED,
    price: '188.02',
    key: 'new',
    expiresInSeconds: 120,
  },
}

async function pressAndMove(): Promise<Shown> {
  const api: Api = { [PREVIEW]: { body: preview }, [OPEN]: moved }
  const page = show({ api })
  await fillIn()
  press('Open Position')
  await screen.findByText(NOTICE)
  return { ...page, api }
}

test('a price that has moved is taken with its key and time, and without a dialog one more press opens at it', async () => {
  const { api, sent, onOpened } = await pressAndMove()
  expect(spokenAlerts()).toEqual([NOTICE])
  expect(screen.queryByText('Unable to open position')).toBeNull()
  expect(field('Price').value).toBe('188.02')
  screen.getByText(/^[12]:\d\d$/)
  screen.getByText('@maria opened AAPL at $188.02')
  expect(field('Ticker').value).toBe('aapl')
  expect(field('Position length').value).toBe('one_to_three_weeks')
  expect(field('Open notes').value).toBe('ten chars.')
  expect(screen.getByRole<HTMLInputElement>('checkbox').checked).toBe(true)
  expect(button('Open Position').disabled).toBe(false)
  api[OPEN] = { status: 201, body: { position: makePosition() } }
  press('Open Position')
  await waitFor(() => expect(screen.queryByText(NOTICE), 'goes with the press').toBeNull())
  await waitFor(() => expect(onOpened).toHaveBeenCalledOnce())
  expect(sent.filter(({ path }) => path === OPEN).map(({ body }) => body)).toMatchObject([
    { key: 'the-key' },
    { key: 'new' },
  ])
})

test('a price that moves again is shown again, from the newer price', async () => {
  const { api } = await pressAndMove()
  api[OPEN] = { status: 409, body: { ...moved.body, price: '188.52', key: 'newer' } }
  press('Open Position')
  await screen.findByText(`${MOVED} It was $188.02 and is $188.52 now.`)
})

test('the notice of a moved price goes with the next check', async () => {
  await pressAndMove()
  press('Check Price')
  await waitFor(() => expect(field('Price').value).toBe('187.52'))
  expect(screen.queryByText(NOTICE)).toBeNull()
})

test('the notice of a moved price goes with an edit of the ticker', async () => {
  await pressAndMove()
  type('Ticker', 'aap')
  expect(screen.queryByText(NOTICE)).toBeNull()
  expect(field('Price').value).toBe('')
  expect(screen.queryByText('Unable to open position')).toBeNull()
})

test('any other refusal after a moved price has its dialog, and the notice is gone', async () => {
  const { api } = await pressAndMove()
  api[OPEN] = { status: 409, body: { code: 'price_stale', message: 'X' } }
  press('Open Position')
  await screen.findByText('Unable to open position')
  expect(screen.queryByText(NOTICE)).toBeNull()
  expect(field('Price').value).toBe('188.02')
})

test('a moved price whose answer brings none is a refusal like any other', async () => {
  show({ api: { [PREVIEW]: { body: preview }, [OPEN]: { status: 409, body: { code: 'price_moved' } } } })
  await fillIn()
  press('Open Position')
  await screen.findByText('Unable to open position')
  expect(field('Price').value).toBe('187.52')
})

test('the new price of a ticker that was edited meanwhile is not taken', async () => {
  show({ api: { [PREVIEW]: { body: preview }, [OPEN]: moved } })
  await fillIn()
  press('Open Position')
  type('Ticker', 'msft')
  await waitFor(() => expect(button('Open Position').getAttribute('aria-busy')).toBeNull())
  expect(field('Price').value).toBe('')
  expect(button('Open Position').disabled).toBe(true)
})

test('below one dollar nothing is opened, and the reason names the limit', async () => {
  show({ api: { [PREVIEW]: { body: { ...preview, price: '0.9996' } } } })
  await fillIn()
  expect(field('Price').value).toBe('0.9996')
  screen.getByText('Positions can be opened from $1.00.')
  expect(button('Open Position').disabled).toBe(true)
})

test('a price that is old shows when it was traded, also to screen readers', async () => {
  const old = { ...preview, expiresInSeconds: 120, tradedAt: '2026-11-17T21:00:00.000Z' }
  show({ api: { [PREVIEW]: { body: old } } })
  await checkPrice()
  const words = 'Last trade of AAPL: Nov 17, 21:00 UTC'
  expect(
    document.getElementById(field('Price').getAttribute('aria-describedby')?.split(' ')[1] ?? '')
      ?.textContent,
  ).toBe(words)
  screen.getByText(`The price is $187.52. ${words}`)
  type('Ticker', 'aap')
  expect(screen.queryByText(words)).toBeNull()
})

test('exactly the five lengths are offered', () => {
  show()
  const offered = screen.getAllByRole('option').map((option) => option.textContent)
  expect(offered).toEqual(['Less than a week', '1-3 weeks', '1-3 months', '3-6 months', '6+ months'])
})

test('beside the length stands when the position becomes public, by the server’s clock once it is known', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-16T15:00:00.000Z') })
  try {
    show({ api: { [PREVIEW]: { body: { ...preview, expiresInSeconds: 120 } } } })
    const describedBy = () => field('Position length').getAttribute('aria-describedby') ?? ''
    const words = () => document.getElementById(describedBy())?.textContent
    expect(words()).toBe('Everybody sees a position that is open past its plan.')
    type('Position length', 'one_to_three_weeks')
    expect(words()).toBe('Open after Dec 8, it is shown to everybody.')
    type('Position length', 'more_than_six_months')
    expect(words()).toBe('Open after Nov 17, 2027, it is shown to everybody.')
    await checkPrice()
    expect(words()).toBe('Open after Nov 19, 2027, it is shown to everybody.')
  } finally {
    vi.useRealTimers()
  }
})

test('an opened position is not opened again while its form still stands', async () => {
  const { sent, onOpened } = show({
    api: { [PREVIEW]: { body: preview }, [OPEN]: { status: 201, body: { position: makePosition() } } },
  })
  await fillIn()
  press('Open Position')
  await waitFor(() => expect(onOpened).toHaveBeenCalledOnce())
  expect(button('Open Position').getAttribute('aria-busy')).toBe('true')
  const form = button('Open Position').form
  if (form) fireEvent.submit(form)
  expect(sent.filter(({ path }) => path === OPEN)).toHaveLength(1)
})
