import type { Endpoint } from '@tradepost/contract/endpoint'
import { endpoints } from '@tradepost/contract/endpoints'
import { afterAll, expect, test } from 'vitest'
import { buildTestApp } from '../build-test-app.ts'
import { call, makeTrader, moveSubscription, subscribe, takeKey } from '../factories.ts'
import { putDiscountCode } from '../money/discount-code.ts'
import { scoreAt } from '../prices/proven-scenario.ts'
import { startQuoteServer } from '../prices/quote-server.ts'
import { bearer, type SignedIn, signIn, tokenOf } from '../sign-in/sign-in.ts'

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})

/** Parts of answers that are not for everybody, each with a text that its answer holds. */
const SECRETS = {
  'open symbol': '"LIVE"',
  'notes of the open one': 'still open because',
  'notes at the opening of the closed one': 'opened because',
  'notes at its close': 'closed because',
}

const at = (day: number) => testApp.clock.set(new Date(`2026-03-0${day}T15:00:00.000Z`))

async function publish(trader: SignedIn, symbol: string, openNotes: string) {
  const key = await takeKey(testApp, quotes, trader, symbol, 100)
  const body = { symbol, key, openNotes, positionLength: 'one_to_three_weeks' }
  expect((await call(testApp, trader, 'POST', '/v1/positions/open', body)).status).toBe(201)
}

/** Every call that reads, as this person, of a trader and an open position of theirs: which secrets its answer holds, or its refusal. */
async function readAll(
  who: SignedIn | null,
  { id, username }: { username: string; id: string },
): Promise<Record<string, unknown>> {
  const seen: Record<string, unknown> = {}
  for (const [name, endpoint] of Object.entries<Endpoint>(endpoints)) {
    // Streams are tested with the same people by live-feed.test.ts.
    if (endpoint.method !== 'GET' || endpoint.streams) continue
    const ofPosition = endpoint.path.includes('/positions/:id')
    const path = endpoint.path
      .replace(':username', username)
      .replace(':id', ofPosition ? id : username)
      .replace(':code', 'OFFER')
    const query =
      name === 'closedPositions' || name === 'trackRecord' ? '' : `?username=${username}&query=apple`
    const headers = who ? bearer(await tokenOf(testApp, who)) : {}
    const answer = await testApp.app.inject({ url: endpoint.query ? path + query : path, headers })
    const held = Object.entries(SECRETS).filter(([, text]) => answer.body.includes(text))
    if (answer.statusCode !== 200) seen[name] = answer.statusCode
    else if (held.length > 0) seen[name] = held.map(([secret]) => secret)
  }
  return seen
}

const OPEN = {
  positions: ['open symbol', 'notes of the open one'],
  marks: ['open symbol'],
}
const OF_CLOSED = ['notes at the opening of the closed one', 'notes at its close']
const NOTES_OF_CLOSED = { closedPositions: OF_CLOSED }
/** The name of a trader is no id of a subscription. */
const NO_ID = { leaving: 404 }
/** The history of the open one is answered to nobody else. */
const HIDDEN = { positionHistory: 404, ...NO_ID }
/** Events that were published while one was entitled, whatever became of the subscription since. */
const ACTIVITY = { activity: ['open symbol', 'notes of the open one', ...OF_CLOSED] }

test('each call answers each person what their time with a trader entitles them to, and nobody else', async () => {
  at(2)
  const trader = await makeTrader(testApp, 'Publisher')
  await putDiscountCode(testApp, trader, 'OFFER')
  const people = {
    before: await signIn(testApp),
    during: await signIn(testApp),
    'past due': await signIn(testApp),
    ended: await signIn(testApp),
    suspended: await signIn(testApp),
  }
  const subscriptions = new Map<string, string>()
  for (const [state, person] of Object.entries(people))
    subscriptions.set(state, await subscribe(testApp, person, trader))
  const move = (state: string, status: 'canceled' | 'past_due') =>
    moveSubscription(testApp, trader, subscriptions.get(state) ?? '', status)
  await move('before', 'canceled')
  await publish(trader, 'GONE', 'It is opened because of its margins.')
  await publish(trader, 'LIVE', 'It is still open because of its margins.')
  at(3)
  const key = await takeKey(testApp, quotes, trader, 'GONE', 110)
  const close = { symbol: 'GONE', key, closeNotes: 'It is closed because of its margins.' }
  expect((await call(testApp, trader, 'POST', '/v1/positions/close', close)).status).toBe(200)
  at(4)
  await move('past due', 'past_due')
  await move('ended', 'canceled')
  const after = await signIn(testApp)
  await subscribe(testApp, after, trader)
  await testApp.pool.query('update users set suspended_at = $2 where id = $1', [
    people.suspended.userId,
    testApp.clock.now(),
  ])
  await testApp.pool.query(
    `insert into symbol_days (symbol, day, close, late)
     select symbol, day, 100, false from unnest('{2026-03-02,2026-03-03}'::date[]) day, unnest('{SPY,LIVE,GONE}'::text[]) symbol`,
  )
  expect(await scoreAt(testApp, '2026-03-04T15:00:00Z')).toMatchObject({ traders: 1 })

  const { rows } = await testApp.pool.query("select id from positions where symbol = 'LIVE'")
  const read = (who: SignedIn | null) => readAll(who, { username: trader.username, id: rows[0].id })
  const reads = Object.entries<Endpoint>(endpoints).filter(
    ([, { method, streams }]) => method === 'GET' && !streams,
  )
  const refused = (status: number) => Object.fromEntries(reads.map(([name]) => [name, status]))
  expect(await read(trader)).toEqual({
    ...NO_ID,
    ...OPEN,
    ...NOTES_OF_CLOSED,
    ...ACTIVITY,
    mailings: ['open symbol'],
  })
  expect(await read(people.during)).toEqual({ ...NO_ID, ...OPEN, ...NOTES_OF_CLOSED, ...ACTIVITY })
  expect(await read(people['past due'])).toEqual({ ...NO_ID, ...OPEN, ...NOTES_OF_CLOSED, ...ACTIVITY })
  expect(await read(after)).toEqual({ ...NO_ID, ...OPEN })
  expect(await read(people.ended)).toEqual({ ...NOTES_OF_CLOSED, ...ACTIVITY, ...HIDDEN })
  expect(await read(people.before)).toEqual(HIDDEN)
  expect(await read(await makeTrader(testApp))).toEqual(HIDDEN)
  expect(await read(people.suspended)).toEqual(refused(403))
  expect(await read(null)).toEqual(refused(401))
})
