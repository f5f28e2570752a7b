import { cleanup, screen, waitFor } from '@testing-library/react'
import type { Position } from '@tradepost/contract/positions'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { claimDrafts } from '../../lib/drafts.ts'
import { makePosition } from './make-position.ts'
import { PositionDialog } from './position-dialog.tsx'
import { positionsQuery } from './positions.api.ts'
import { button, field, press, renderOver, spokenAlerts, type } from './test-page.tsx'

const PREVIEW = '/v1/positions/preview'
const CLOSE = '/v1/positions/close'
const SAME_DAY = 'You cannot close this position on the same day'
const preview = { price: '112.345', key: 'the-key', symbol: 'AAPL', expiresAt: '2026-11-18T15:02:00.000Z' }
const position = makePosition({ openPrice: 100, openedAt: '2026-11-16T15:00:00.000Z' })
const closed = {
  ...position,
  active: false,
  closePrice: 112.345,
  closedAt: '2026-11-18T15:00:00.000Z',
  closeNotes: 'ten chars.',
  percentageGain: 12.35,
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-18T15:00:00.000Z') })
  claimDrafts('maria')
})
afterEach(() => {
  cleanup()
  claimDrafts('')
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

function Dialog({ own, shown, onClosed }: { own: boolean; shown: typeof position; onClosed: () => void }) {
  return <PositionDialog listed position={shown} own={own} onDismiss={() => undefined} onClosed={onClosed} />
}

type Shown = Partial<Pick<Position, 'openedAt' | 'publicAt'>>

function show(options: { api?: Parameters<typeof renderOver>[0]; own?: boolean } & Shown = {}) {
  const onClosed = vi.fn()
  const { api: _, own: __, ...part } = options
  const shown = { ...position, ...part }
  const api = options.api ?? { [PREVIEW]: { body: preview } }
  const page = renderOver(api, <Dialog own={options.own ?? true} shown={shown} onClosed={onClosed} />)
  return { ...page, onClosed }
}

async function fillIn(): Promise<void> {
  press('Close Position')
  press('Check Price')
  await waitFor(() => expect(field('Price').value).not.toBe(''))
  type('Close notes', 'ten chars.')
}

test('the dialog shows what was published, and nothing to edit', () => {
  show()
  const facts = screen.getAllByRole('term').map(({ textContent }) => textContent)
  expect(facts).toEqual(['Open Price', 'Opened', 'Hold Length', 'Trader'])
  const values = screen.getAllByRole('definition').map(({ textContent }) => textContent)
  expect(values).toEqual([
    '$100.00',
    expect.stringMatching(/^Nov 16, 2026/),
    '1-3 weekspublic from Dec 8',
    'Me',
  ])
  screen.getByRole('region', { name: 'Open notes' })
  expect(screen.queryByRole('textbox')).toBeNull()
})

test('the opening is shown by its date, its age and its time here and in UTC, and from when on it is public', () => {
  show({ openedAt: '2026-10-26T15:04:05.000Z' })
  const [, opened, hold] = screen.getAllByRole('definition')
  expect(opened?.textContent).toMatch(/^Oct 26, 202622 d ago\d+:04 [AP]M, 15:04 UTC$/)
  expect(opened?.querySelector('time')?.title).toContain('Oct 26, 2026, 15:04 UTC')
  expect(hold?.textContent).toBe('1-3 weekspublic since Nov 1723 h over plan')
  cleanup()
  show({ openedAt: '2026-10-28T15:00:00.000Z' })
  screen.getByText('public from Nov 19')
  cleanup()
  // The stored instant goes before the rule: positions of before it are public later.
  show({ openedAt: '2026-10-26T15:04:05.000Z', publicAt: '2026-11-25T15:00:00.000Z' })
  screen.getByText('public from Nov 25')
})

test('a struck position shows why in its window, without that it is public, and can be closed', () => {
  const struck = makePosition({
    openedAt: '2026-10-26T15:04:05.000Z',
    struck: true,
    struckReason: 'A glitch',
  })
  renderOver({}, <Dialog own shown={struck} onClosed={() => undefined} />)
  screen.getByText('Struck by Tradepost: A glitch. It counts nowhere.')
  expect(screen.queryByText(/public (from|since)|over plan/)).toBeNull()
  button('Close Position')
})

test('only the owner sees Close Position', () => {
  show()
  button('Close Position')
  cleanup()
  show({ own: false })
  expect(screen.queryByRole('button', { name: 'Close Position' })).toBeNull()
  expect(screen.getByRole('link', { name: 'maria' }).getAttribute('href')).toBe('/trader/maria')
})

test('Submit waits for price and notes; the profit is shown', async () => {
  show()
  press('Close Position')
  type('Close notes', 'ten chars.')
  expect(button('Submit').disabled).toBe(true)
  expect(field('Profit').value).toBe('')
  press('Check Price')
  await waitFor(() => expect(field('Profit').value).toBe('12.35%'))
  expect(button('Submit').disabled).toBe(false)
  type('Close notes', 'nine char')
  expect(button('Submit').disabled).toBe(true)
})

test('on the day it was opened the sentence is shown and Submit waits', async () => {
  show({ openedAt: '2026-11-18T14:30:00.000Z' })
  await fillIn()
  screen.getByText(SAME_DAY)
  expect(button('Submit').disabled).toBe(true)
  cleanup()
  show()
  await fillIn()
  expect(screen.queryByText(SAME_DAY)).toBeNull()
  expect(button('Submit').disabled).toBe(false)
})

test('a position can be closed while the market is closed', async () => {
  vi.setSystemTime('2026-11-22T03:00:00.000Z')
  show()
  await fillIn()
  expect(button('Submit').disabled).toBe(false)
})

test('Back returns to the view, and the notes wait', () => {
  show()
  press('Close Position')
  type('Close notes', 'half a thought')
  press('Back')
  press('Close Position')
  expect(field('Close notes').value).toBe('half a thought')
  screen.getByText('14/500 (min. 10)')
})

test('three fields are sent, and the row is gone', async () => {
  const { sent, client, onClosed } = show({
    api: { [PREVIEW]: { body: preview }, [CLOSE]: { body: { position: closed } } },
  })
  client.setQueryData(positionsQuery.queryKey, [position, makePosition({ id: 'other' })])
  await fillIn()
  press('Submit')
  await waitFor(() => expect(onClosed).toHaveBeenCalledOnce())
  expect(sent.at(-1)).toEqual({
    path: CLOSE,
    body: { symbol: 'AAPL', closeNotes: 'ten chars.', key: 'the-key' },
  })
  expect(client.getQueryData(positionsQuery.queryKey)?.map(({ id }) => id)).toEqual(['other'])
})

test.each([
  [{ status: 409, body: { message: 'X' } }, 'X'],
  [{ status: 500, body: {} }, 'Something went wrong, please try again.'],
])(
  'the reason of the refusal %j appears above the buttons, and nothing is lost',
  async (refusal, sentence) => {
    const { onClosed } = show({ api: { [PREVIEW]: { body: preview }, [CLOSE]: refusal } })
    await fillIn()
    press('Submit')
    const reason = await screen.findByText(sentence)
    for (const name of ['Back', 'Submit']) {
      expect(reason.compareDocumentPosition(button(name))).toBe(Node.DOCUMENT_POSITION_FOLLOWING)
    }
    expect(onClosed).not.toHaveBeenCalled()
    expect(field('Close notes').value).toBe('ten chars.')
    expect(field('Price').value).toBe('112.35')
    expect(button('Submit').disabled).toBe(false)
  },
)

const GONE = 'You have no open position in AAPL.'
const gone = { status: 404, body: { code: 'position_not_found', message: GONE } }

test('a position that is gone counts as closed here only where an answer to a try before was lost', async () => {
  const api: Parameters<typeof renderOver>[0] = { [PREVIEW]: { body: preview }, [CLOSE]: gone }
  const { client, onClosed } = show({ api })
  client.setQueryData(positionsQuery.queryKey, [position])
  await fillIn()
  press('Submit')
  await screen.findByText(GONE)
  api[CLOSE] = { status: 409, body: { message: 'X' } }
  press('Submit')
  await screen.findByText('X')
  api[CLOSE] = gone
  press('Submit')
  await screen.findByText(GONE)
  expect(onClosed).not.toHaveBeenCalled()
  expect(client.getQueryData(positionsQuery.queryKey)).toEqual([position])

  api[CLOSE] = { status: 500, body: {} }
  press('Submit')
  await screen.findByText('Something went wrong, please try again.')
  expect(onClosed).not.toHaveBeenCalled()
  api[CLOSE] = gone
  press('Submit')
  await waitFor(() => expect(onClosed).toHaveBeenCalledOnce())
  expect(client.getQueryData(positionsQuery.queryKey)).toEqual([])
})

const MOVED = 'The price has moved. Check it again.'
const moved = {
  status: 409,
  body: { ...preview, code: 'price_moved', message: MOVED, price: '110', key: 'new', expiresInSeconds: 120 },
}

test('a price that has moved is taken with its key, the notes stay, and the next press closes at it', async () => {
  const api: Parameters<typeof renderOver>[0] = { [PREVIEW]: { body: preview }, [CLOSE]: moved }
  const { sent, onClosed } = show({ api })
  await fillIn()
  press('Submit')
  const notice = await screen.findByText(`${MOVED} It was $112.35 and is $110.00 now.`)
  expect(notice.compareDocumentPosition(button('Submit'))).toBe(Node.DOCUMENT_POSITION_FOLLOWING)
  expect(spokenAlerts()).toEqual([notice.textContent])
  expect(field('Price').value).toBe('110.00')
  screen.getByText('2:00')
  expect(field('Profit').value).toBe('10.00%')
  expect(field('Close notes').value).toBe('ten chars.')
  expect(button('Submit').disabled).toBe(false)
  expect(onClosed).not.toHaveBeenCalled()
  api[CLOSE] = { body: { position: closed } }
  press('Submit')
  await waitFor(() => expect(onClosed).toHaveBeenCalledOnce())
  expect(sent.at(-1)?.body).toEqual({ symbol: 'AAPL', closeNotes: 'ten chars.', key: 'new' })
})

test('an open price and a checked one are written so that one sees their difference', async () => {
  show({ api: { [PREVIEW]: { body: { ...preview, price: '100.004' } } } })
  await fillIn()
  expect(field('Price').value).toBe('100.0040')
  expect(screen.getAllByRole('definition')[0]?.textContent).toBe('$100.0000')
})

test('a price below one dollar can be closed at', async () => {
  show({ api: { [PREVIEW]: { body: { ...preview, price: '0.0000014' } } } })
  await fillIn()
  expect(field('Price').value).toBe('0.00000140')
  expect(button('Submit').disabled).toBe(false)
})

test('a failed check shows why in the price field', async () => {
  show({ api: { [PREVIEW]: { status: 503, body: { message: 'No prices today.' } } } })
  press('Close Position')
  press('Check Price')
  await waitFor(() => expect(field('Price').value).toBe('No prices today.'))
  expect(field('Price').getAttribute('aria-invalid')).toBe('true')
  expect(field('Profit').value).toBe('')
})
