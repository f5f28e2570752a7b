import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../sandbox.ts'

let sandbox: Sandbox
let simulated: string[]

beforeAll(async () => {
  sandbox = await startSandbox({ parts: ['market'] })
  simulated = await tickers()
})

afterAll(() => sandbox.close())

beforeEach(async () => {
  await move('fault', { mode: 'none' })
  await giveBack()
})

async function move(name: string, body: object): Promise<{ status: number; answer: unknown }> {
  const response = await fetch(`${sandbox.url}/api/v1/sandbox/${name}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, answer: await response.json() }
}

const giveBack = (query = '') => fetch(`${sandbox.url}/api/v1/sandbox/quote${query}`, { method: 'DELETE' })

const call = (path: string) => fetch(`${sandbox.url}/api/v1/${path}&token=k`)

const read = async <T>(path: string) => (await (await call(path)).json()) as T

type Entry = { symbol: string; figi: string; description: string; type: string }

const list = () => read<Entry[]>('stock/symbol?exchange=US')

const tickers = async () =>
  (await list()).map(({ description, figi, symbol }) => `${symbol} ${description} ${figi}`)

/** Ticker, name and FIGI of what differs from the list of the simulation. */
async function changed(): Promise<{ gone: string[]; came: string[] }> {
  const now = await tickers()
  return {
    gone: simulated.filter((entry) => !now.includes(entry)),
    came: now.filter((entry) => !simulated.includes(entry)),
  }
}

const quote = (symbol: string) =>
  read<Record<'c' | 'd' | 'dp' | 'h' | 'l' | 'o' | 'pc' | 't', number>>(`quote?symbol=${symbol}`)

const closes = async (symbol: string) =>
  (await read<{ c?: number[] }>(`stock/candle?symbol=${symbol}&resolution=D&from=1767225600&to=1769000000`)).c

const APPLE = 'AAPL APPLE BBGZTH5NN9L0'
const NOTHING = { c: 0, d: null, dp: null, h: 0, l: 0, o: 0, pc: 0, t: 0 }

test('the list has every ticker in Finnhub’s form, with a FIGI of its own that never changes', async () => {
  const entries = await list()
  expect(entries.find(({ symbol }) => symbol === 'AAPL')).toEqual({
    currency: 'USD',
    description: 'APPLE',
    displaySymbol: 'AAPL',
    figi: 'BBGZTH5NN9L0',
    mic: 'XNAS',
    symbol: 'AAPL',
    type: 'Common Stock',
  })
  expect(entries.filter(({ type }) => type === 'ETP').map(({ symbol }) => symbol)).toEqual([
    'SPY',
    'QQQ',
    'IWM',
  ])
  expect(entries).toHaveLength(127)
  expect(new Set(entries.map(({ figi }) => figi)).size).toBe(127)
  expect(entries.filter(({ figi }) => !/^BBG[0-9B-DF-HJ-NP-TV-Z]{8}[0-9]$/.test(figi))).toEqual([])
})

test('the list needs a key and an exchange, and knows one exchange', async () => {
  expect((await fetch(`${sandbox.url}/api/v1/stock/symbol?exchange=US`)).status).toBe(401)
  const bare = await call('stock/symbol?')
  expect([bare.status, await bare.json()]).toEqual([422, { error: 'Missing parameter: exchange.' }])
  expect(await read('stock/symbol?exchange=DE')).toEqual([])
})

test('a list that is not to be had, or has gaps, is a matter of the list alone', async () => {
  const whole = await list()
  await move('fault', { mode: 'no-list' })
  const refused = await call('stock/symbol?exchange=US')
  expect([refused.status, await refused.json()]).toEqual([
    403,
    { error: "You don't have access to this resource." },
  ])
  expect((await quote('AAPL')).c).toBeGreaterThan(50)
  await move('fault', { mode: 'half-list' })
  const half = await list()
  expect(half).toHaveLength(64)
  expect(half.slice(0, 2)).toEqual([whole[0], whole[2]])
  expect((await quote('MSFT')).c).toBeGreaterThan(50)
})

test('a renamed share keeps identity, name, prices, past and what was moved of it; its old ticker is unknown', async () => {
  await move('split', { symbol: 'META', ratio: '10:1' })
  const [before, past] = [await quote('META'), await closes('META')]
  expect(await move('rename', { symbol: 'META', to: 'FB' })).toEqual({
    status: 200,
    answer: { done: 'META trades as FB.' },
  })
  expect(await changed()).toEqual({
    gone: ['META META PLATFORMS BBGGZ6P1CSS8'],
    came: ['FB META PLATFORMS BBGGZ6P1CSS8'],
  })
  const { o, pc } = await quote('FB')
  expect([o, pc]).toEqual([before.o, before.pc])
  expect(past).toHaveLength(15)
  expect(await closes('FB')).toEqual(past)
  expect([await quote('META'), await closes('META')]).toEqual([NOTHING, undefined])
  const found = await read<{ result: Entry[] }>('search?q=meta')
  expect(found.result.map(({ symbol }) => symbol)).toEqual(['FB'])
  expect((await list()).map(({ symbol }) => symbol).indexOf('FB'), 'in its place').toBe(5)

  await move('rename', { symbol: 'FB', to: 'META' })
  expect(await changed()).toEqual({ gone: [], came: [] })
})

test('a price that was fixed goes along with a renamed share', async () => {
  await move('quote', { symbol: 'KO', price: 12 })
  await move('rename', { symbol: 'KO', to: 'COKE' })
  expect([(await quote('COKE')).c, await quote('KO')]).toEqual([12, NOTHING])
})

test('a delisted share is in no list and has no price, whatever was fixed of it', async () => {
  await move('quote', { symbol: 'AAPL', price: 12 })
  expect(await move('delist', { symbol: 'AAPL' })).toEqual({
    status: 200,
    answer: { done: 'AAPL is delisted.' },
  })
  expect(await changed()).toEqual({ gone: [APPLE], came: [] })
  expect([await quote('AAPL'), await closes('AAPL')]).toEqual([NOTHING, undefined])
  expect(await read('search?q=apple')).toEqual({ count: 0, result: [] })
})

test('a new company has its own identity and begins at its price, under a new ticker and under one that another had', async () => {
  const company = { name: 'Zeta & Sons', price: 12.5 }
  expect(await move('list', { symbol: 'ZETA', ...company })).toEqual({
    status: 200,
    answer: { done: 'Zeta & Sons is listed as ZETA.' },
  })
  // Seconds may pass between the two.
  expect(Math.abs((await quote('ZETA')).c / 12.5 - 1)).toBeLessThan(0.003)
  expect(await closes('ZETA')).toHaveLength(15)
  await move('delist', { symbol: 'AAPL' })
  await move('list', { symbol: 'AAPL', name: 'Apple', price: 0.5 })
  await move('rename', { symbol: 'KO', to: 'COKE' })
  await move('list', { symbol: 'KO', ...company })
  expect(Math.abs((await quote('AAPL')).c / 0.5 - 1)).toBeLessThan(0.003)
  expect(await changed()).toEqual({
    gone: [APPLE, 'KO COCA-COLA BBG8ZSRCQG21'],
    came: [
      'COKE COCA-COLA BBG8ZSRCQG21',
      expect.stringMatching(/^ZETA ZETA & SONS BBG/),
      expect.stringMatching(/^AAPL APPLE BBG/),
      expect.stringMatching(/^KO ZETA & SONS BBG/),
    ],
  })
  const figis = (await list()).map(({ figi }) => figi)
  expect(new Set(figis).size).toBe(figis.length)
})

test('a symbol that is given back has its own share again, and what was displaced is at home', async () => {
  await move('rename', { symbol: 'AAPL', to: 'OLD' })
  await move('rename', { symbol: 'MSFT', to: 'AAPL' })
  await move('rename', { symbol: 'NVDA', to: 'MSFT' })
  await move('quote', { symbol: 'OLD', price: 3 })
  await move('list', { symbol: 'NVDA', name: 'New', price: 3 })
  await giveBack('?symbol=AAPL')
  expect(await changed()).toEqual({ gone: [], came: [] })
  expect(await quote('OLD')).toEqual(NOTHING)
  expect((await list()).slice(0, 3).map(({ symbol }) => symbol)).toEqual(['AAPL', 'MSFT', 'NVDA'])

  await move('rename', { symbol: 'KO', to: 'COKE' })
  await giveBack('?symbol=COKE')
  await move('list', { symbol: 'ZETA', name: 'Zeta', price: 3 })
  await giveBack('?symbol=ZETA')
  await move('delist', { symbol: 'V' })
  await giveBack('?symbol=V')
  expect(await changed()).toEqual({ gone: [], came: [] })
  expect(await quote('COKE')).toEqual(NOTHING)
})

test('everything is given back at once', async () => {
  await move('rename', { symbol: 'AAPL', to: 'OLD' })
  await move('list', { symbol: 'AAPL', name: 'New', price: 3 })
  await move('delist', { symbol: 'MSFT' })
  await giveBack()
  expect(await changed()).toEqual({ gone: [], came: [] })
  expect([(await quote('MSFT')).c > 50, await quote('OLD')]).toEqual([true, NOTHING])
})

test.each([
  ['rename', { symbol: 'NOSUCH', to: 'NEW' }, 409, 'NOSUCH is not listed.'],
  ['rename', { symbol: 'ZZZZ', to: 'NEW' }, 409, 'ZZZZ is not listed.'],
  ['rename', { symbol: 'AAPL', to: 'MSFT' }, 409, 'MSFT is taken.'],
  ['rename', { symbol: 'AAPL', to: 'AAPL' }, 409, 'AAPL is taken.'],
  ['rename', { symbol: 'AAPL', to: 'ZZZZ' }, 409, 'ZZZZ is taken.'],
  ['delist', { symbol: 'NOSUCH' }, 409, 'NOSUCH is not listed.'],
  ['list', { symbol: 'AAPL', name: 'New', price: 1 }, 409, 'AAPL is taken.'],
  ['list', { symbol: 'ZZZZ', name: 'New', price: 1 }, 409, 'ZZZZ is taken.'],
  ['list', { symbol: 'ONE', name: 'One', price: 1 }, 409, 'The One of ONE is listed as TWO.'],
  ['rename', { symbol: 'AAPL' }, 400, "body must have required property 'to'"],
  ['delist', {}, 400, "body must have required property 'symbol'"],
  ['list', { symbol: 'NEW', name: ' ', price: 1 }, 400, 'body/name must match pattern "\\S"'],
  ['list', { symbol: 'NEW', name: 'New', price: 0 }, 400, 'body/price must be > 0'],
])('to %s %j is refused and changes nothing', async (name, body, status, error) => {
  await move('quote', { symbol: 'ZZZZ', price: 5 })
  await move('list', { symbol: 'ONE', name: 'One', price: 1 })
  await move('rename', { symbol: 'ONE', to: 'TWO' })
  const before = await list()
  expect(await move(name, body)).toEqual({ status, answer: { error } })
  expect(await list()).toEqual(before)
})

test('the page changes the list too, and shows what was changed', async () => {
  const page = async () => (await fetch(`${sandbox.url}/market`)).text()
  const submit = async (action: string, fields: Record<string, string>) => {
    const body = new URLSearchParams(fields)
    const sent = await fetch(`${sandbox.url}/market/${action}`, { method: 'POST', body, redirect: 'manual' })
    return decodeURIComponent(sent.headers.get('location') ?? '')
  }
  expect(await submit('rename', { symbol: 'meta', to: ' fb ' })).toBe('/market?done=META trades as FB.')
  expect(await submit('delist', { symbol: 'aapl' })).toBe('/market?done=AAPL is delisted.')
  expect(await submit('list', { symbol: 'zeta', name: '<Zeta>', price: '12.5' })).toBe(
    '/market?done=<Zeta> is listed as ZETA.',
  )
  expect(await submit('rename', { symbol: 'aapl', to: 'X' })).toBe('/market?failed=AAPL is not listed.')
  const shown = await page()
  for (const words of ['renamed from META', 'Apple is delisted', '&lt;Zeta&gt; is new'])
    expect(shown).toContain(`<p>${words}</p>`)
  expect(shown).toContain('<th scope="row">FB</th><td>Meta Platforms</td>')
  expect(shown).toContain('<th scope="row">ZETA</th><td>&lt;Zeta&gt;</td>')
  expect(shown).not.toContain('<th scope="row">AAPL</th>')
  for (const symbol of ['fb', 'aapl', 'zeta']) await submit('free', { symbol })
  expect(await page()).not.toContain('Moved by hand')
})
