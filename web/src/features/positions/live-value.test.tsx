import { act, cleanup, render, screen } from '@testing-library/react'
import type { Mark } from '@tradepost/contract/marks'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { changeMarks } from '../../app/live/change-lists.ts'
import { Worth } from './live-value.tsx'
import { makePosition } from './make-position.ts'
import { OwnSummary } from './own-summary.tsx'
import { PositionsList } from './positions-list.tsx'
import { renderOver } from './test-page.tsx'

const MARKS = '/v1/marks'
const AT_100 = makePosition({ id: 'p1', stock: 'AAPL', openPrice: 100 })

beforeEach(() => {
  vi.useFakeTimers({
    now: new Date('2026-11-18T15:00:00.000Z'),
    toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
  })
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  vi.useRealTimers()
})

function markOf(part: Partial<Mark> = {}): Mark {
  return { symbol: 'AAPL', price: '112.345', at: '2026-11-18T14:59:30.000Z', state: 'current', ...part }
}

function worthOf(mark: Mark | undefined, age: string | null = null): string {
  const { container } = render(<Worth known position={AT_100} mark={mark} age={age} />)
  return container.textContent ?? ''
}

test.each([
  ['a rise', markOf(), null, 'now$112.35gain +12.35%'],
  ['a loss', markOf({ price: '97' }), null, 'now$97.00loss -3.00%'],
  ['neither rise nor loss', markOf({ price: '100.001' }), null, 'now$100.00100.00%'],
  ['how old it is', markOf({ state: 'aged' }), '5 min', '5 min ago$112.35gain +12.35%'],
  ['that there is none yet', markOf({ price: null, at: null, state: 'waiting' }), null, 'no price yet'],
  ['that it is gone', markOf({ state: 'gone' }), '3 d', 'last$112.35no longer traded'],
  ['that there is none of now', markOf({ state: 'aged', unpriced: true }), '1 h', 'last$112.35no price now'],
  ['that nothing is answered', undefined, null, 'no price now'],
  ['how late it is', markOf({ rights: 'delayed' }), '15 min', '15 min late$112.35gain +12.35%'],
  ['how old a late one is', markOf({ rights: 'delayed' }), '3 h', '3 h ago$112.35gain +12.35%'],
  ['the gain alone', markOf({ price: null, rights: 'percent', gains: { p1: 12 } }), null, 'nowgain +12%'],
  [
    'a gain that is old',
    markOf({ price: null, rights: 'percent', gains: { p1: 0 } }),
    '5 min',
    '5 min ago0%',
  ],
  [
    'no gain yet',
    markOf({ price: null, state: 'waiting', rights: 'percent', gains: {} }),
    null,
    'no price yet',
  ],
])('beside a price stands %s', (_, mark, age, text) => {
  expect(worthOf(mark, age)).toBe(text)
})

test('before there is an answer both places are kept, and nothing is said', () => {
  const { container } = render(<Worth known={false} position={AT_100} mark={undefined} age={null} />)
  expect(container.textContent).toBe('')
  expect(container.querySelectorAll('.bg-muted')).toHaveLength(2)
})

test('a gain flashes when its price changes, each time, and neither at first nor when it is asked again', () => {
  const show = (price: string | null) => (
    <Worth
      known
      position={AT_100}
      mark={markOf({ price, ...(price === null && { state: 'waiting' }) })}
      age={null}
    />
  )
  const { container, rerender } = render(show(null))
  const gain = () => container.querySelector('[data-slot=gain]')
  rerender(show('110'))
  expect(gain()?.className).not.toContain('flash')
  rerender(show('110'))
  expect(gain()?.className).not.toContain('flash')
  rerender(show('111'))
  const flashing = gain()
  expect(flashing?.className).toContain('flash')
  rerender(show('110'))
  expect(gain()?.className).toContain('flash')
  // A new element: the animation begins again.
  expect(gain()).not.toBe(flashing)
})

const marksOf = (...all: Mark[]) => ({
  bySymbol: new Map(all.map((mark) => [mark.symbol, mark])),
  failed: false,
  now: new Date(),
})

test('own positions together have a count, a mean, a best and a worst', () => {
  const positions = [
    makePosition({ id: 'a', stock: 'AAPL' }),
    makePosition({ id: 'b', stock: 'KO', openPrice: 50 }),
    makePosition({ id: 'c', stock: 'WAITS' }),
  ]
  const marks = marksOf(
    markOf({ price: '110' }),
    markOf({ symbol: 'KO', price: '49' }),
    markOf({ symbol: 'WAITS', price: null, at: null, state: 'waiting' }),
  )
  const { container } = render(<OwnSummary positions={positions} marks={marks} />)
  expect(container.textContent).toBe(
    'Yours: 3 openmean so far gain +4.00% of 2 with a pricebest AAPL gain +10.00%worst KO loss -2.00%',
  )
})

test('of one position there is no best and no worst, and without a price no figure', () => {
  const positions = [makePosition()]
  const one = render(<OwnSummary positions={positions} marks={marksOf(markOf({ price: '100' }))} />)
  expect(one.container.textContent).toBe('Yours: 1 openso far 0.00%')
  one.rerender(<OwnSummary positions={positions} marks={{ ...marksOf(), bySymbol: null }} />)
  expect(one.container.textContent).toBe('Yours: 1 open')
})

type Answer = { body: { marks: Mark[] }; status?: number }

/** The list over marks that change; @returns how often they were asked for */
function showList(answer: Answer) {
  const { sent } = renderList(answer)
  return () => sent.filter(({ path }) => path === MARKS).length
}

function renderList(answer: Answer) {
  return renderOver(
    { [MARKS]: answer },
    <PositionsList
      positions={[makePosition()]}
      tab="all"
      username="maria"
      refreshError={null}
      loadedAt={0}
      onRetry={() => undefined}
      onRemoved={() => undefined}
    />,
  )
}

/** Lets time pass, and what was asked for meanwhile arrive: some turns of the event loop, and a millisecond of the library's. */
async function pass(ms: number): Promise<void> {
  await act(() => vi.advanceTimersByTimeAsync(ms))
  for (let turn = 0; turn < 10; turn += 1) await act(() => vi.advanceTimersByTimeAsync(0))
  await act(() => vi.advanceTimersByTimeAsync(1))
}

const cell = () => screen.getAllByRole('cell')[2]?.textContent

async function showTab(state: 'visible' | 'hidden'): Promise<void> {
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue(state)
  await act(async () => void document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
}

test('a visible page asks every half minute, a hidden one not at all, and one that is shown again at once', async () => {
  const answer = { body: { marks: [markOf()] } }
  const asked = showList(answer)
  await vi.dynamicImportSettled()
  await pass(0)
  expect(asked()).toBe(1)
  expect(cell()).toBe('$100.00now$112.35gain +12.35%')
  await pass(29_900)
  expect(asked()).toBe(1)
  answer.body = { marks: [markOf({ price: '90', at: '2026-11-18T15:00:20.000Z' })] }
  await pass(100)
  expect(asked()).toBe(2)
  expect(cell()).toBe('$100.00now$90.00loss -10.00%')
  await showTab('hidden')
  await pass(600_000)
  expect(asked()).toBe(2)
  await showTab('visible')
  await pass(0)
  expect(asked()).toBe(3)
})

test('a price grows old while nothing newer comes, also while the server is away', async () => {
  const answer = { status: 200, body: { marks: [markOf()] } }
  showList(answer)
  await vi.dynamicImportSettled()
  await pass(0)
  answer.status = 503
  await pass(29_900)
  expect(cell()).toContain('now$112.35')
  await pass(100)
  expect(cell()).toContain('1 min ago$112.35')
  for (let minute = 0; minute < 10; minute += 1) await pass(60_000)
  expect(cell()).toContain('10 min ago$112.35')
  expect(screen.queryByRole('alert')).toBeNull()
})

test('a price that the server has not looked up for a minute has an age, also where the browser’s clock is behind', async () => {
  showList({ body: { marks: [markOf({ state: 'aged', at: '2026-11-18T15:00:30.000Z' })] } })
  await vi.dynamicImportSettled()
  await pass(0)
  expect(cell()).toContain('1 min ago$112.35')
})

test('without any answer the line shows that, and the first answer takes its place', async () => {
  const answer = { status: 503, body: { marks: [markOf()] } }
  showList(answer)
  await vi.dynamicImportSettled()
  await pass(0)
  expect(cell()).toBe('$100.00no price now')
  answer.status = 200
  await pass(30_000)
  expect(cell()).toContain('$112.35')
})

test('a page asks every half minute, also while a symbol has no price', async () => {
  const waiting = markOf({ price: null, at: null, state: 'waiting' })
  const asked = showList({ body: { marks: [waiting] } })
  await pass(0)
  const times = [asked()]
  for (let second = 0; second < 75; second += 5) {
    await pass(4999)
    times.push(asked())
  }
  expect(times).toEqual([1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3])
})

test('prices that the feed brings put off no question: a symbol that only this page looks at is asked for as often', async () => {
  const [ofOthers, ofThisPage] = [markOf({ symbol: 'MSFT' }), markOf()]
  const answer = { body: { marks: [ofOthers, ofThisPage] } }
  const { sent, client } = renderList(answer)
  await pass(0)
  answer.body = { marks: [ofOthers, markOf({ price: '90' })] }
  const times = []
  for (let second = 10; second <= 70; second += 10) {
    await pass(9999)
    changeMarks(client, [markOf({ symbol: 'MSFT', price: `${second}` })])
    times.push(sent.length)
  }
  expect(times).toEqual([1, 1, 2, 2, 2, 3, 3])
  expect(cell()).toContain('$90.00')
})

test.each([
  ['delayed', '2026-11-18T14:44:30.000Z', '15 min late', 'Prices are shown 15 minutes late.'],
  ['delayed', '2026-11-18T14:41:00.000Z', '15 min late', 'Prices are shown 15 minutes late.'],
  ['delayed', '2026-11-18T14:00:00.000Z', '1 h ago', 'Prices are shown 15 minutes late.'],
  ['percent', '2026-11-18T15:00:00.000Z', 'now', 'Gains so far are in whole percent.'],
] as const)(
  'a list of %s prices shows one of %s as %s, and below it the rule',
  async (rights, at, words, note) => {
    const id = makePosition().id
    const held = rights === 'percent' ? { price: null, gains: { [id]: 12 } } : {}
    showList({ body: { marks: [markOf({ rights, at, ...held })] } })
    await vi.dynamicImportSettled()
    await pass(0)
    expect(cell()).toContain(words)
    expect(screen.getByText(note)).toBeTruthy()
  },
)
