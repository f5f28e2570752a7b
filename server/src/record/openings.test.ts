import { fromBase64, toBase64 } from '@tradepost/record/bytes'
import { commitTo } from '@tradepost/record/leaf'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../test/build-test-app.ts'
import { call, close, makeTrader, NOTES, open, type Trader } from '../../test/factories.ts'
import { publish } from '../../test/followers.ts'
import { startQuoteServer } from '../../test/prices/quote-server.ts'
import { checkLog, type LoggedEntry, makeTestRecord, registerRecord } from '../../test/record.ts'
import { makeSecretKey } from '../auth/keys/secret-key.ts'
import { adjustForSplit } from '../positions/correct/adjust-positions.ts'
import { strikePosition } from '../positions/correct/strike-position.ts'
import { sha256 } from './hashes.ts'

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
const { app, clock, db, pool } = testApp
const record = makeTestRecord(testApp)
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})

const DAY_MS = 86_400_000
const THURSDAY = new Date('2026-03-05T15:00:00.000Z')
const FRIDAYS_LAST = new Date('2026-03-06T20:59:58.000Z')
const SUNDAY = new Date('2026-03-08T22:00:00.000Z')
/** One for each state of a position. */
const [OPEN, PAST, CLOSED, UNSETTLED, STRUCK_OPEN, STRUCK_CLOSED, SPLIT_OPEN, SPLIT_CLOSED] = [
  ...['SLDA', 'PSTB', 'CLSC', 'UNSD'],
  ...['STRE', 'STRF', 'SPLG', 'SPLH'],
] as [string, string, string, string, string, string, string, string]
let maria: Trader
let entries: LoggedEntry[]

beforeAll(async () => {
  clock.set(new Date(TEST_NOW.getTime() - 70 * DAY_MS))
  await registerRecord(testApp)
  const longAgo = clock.now()
  clock.set(TEST_NOW)
  maria = await makeTrader(testApp, 'maria')
  await publish(db, { ...maria, traderId: maria.userId }, { symbol: PAST }, longAgo)
  for (const symbol of [OPEN, CLOSED, UNSETTLED, STRUCK_OPEN, STRUCK_CLOSED, SPLIT_OPEN, SPLIT_CLOSED])
    expect((await open(testApp, quotes, maria, symbol, 100)).status).toBe(201)
  clock.set(THURSDAY)
  for (const symbol of [CLOSED, STRUCK_CLOSED, SPLIT_CLOSED])
    expect((await close(testApp, quotes, maria, symbol, 120)).status).toBe(200)
  const secret = makeSecretKey(testApp.settings.authSecret)
  for (const symbol of [STRUCK_OPEN, STRUCK_CLOSED]) {
    const { rows } = await pool.query('select id from positions where symbol = $1', [symbol])
    await strikePosition({ db, secret }, { id: rows[0].id, reason: 'A price that was none.' }, clock.now())
  }
  clock.set(SUNDAY)
  for (const symbol of [SPLIT_OPEN, SPLIT_CLOSED])
    expect(await adjustForSplit(db, { symbol, ratio: '10:1', day: '2026-03-05' }, clock.now())).toBe(1)
  quotes.set(UNSETTLED, { price: 110, at: FRIDAYS_LAST })
  const { body } = await call(testApp, maria, 'POST', '/v1/positions/preview', { symbol: UNSETTLED })
  const order = { symbol: UNSETTLED, key: body.key, closeNotes: NOTES }
  expect((await call(testApp, maria, 'POST', '/v1/positions/close', order)).body).toMatchObject({
    position: { settled: false },
  })
  await record.ensure()
  entries = await checkLog(testApp)
})

async function openingOf({ index }: LoggedEntry) {
  const answer = await app.inject(`/record/openings/${index}`)
  return { status: answer.statusCode, caching: answer.headers['cache-control'], body: answer.json() }
}

test('an entry can be opened by everybody once its position is closed or past its plan, and never before', async () => {
  const found: Record<string, string[]> = {}
  for (const entry of entries) {
    const { body, caching, status } = await openingOf(entry)
    const [, symbol = ''] = entry.text ?? []
    if (status === 200) {
      expect(caching).toBe('public, max-age=60')
      expect(JSON.parse(body.text)).toEqual(entry.text)
      const commitment = commitTo(sha256, fromBase64(body.salt) ?? new Uint8Array(), body.text)
      expect(toBase64(commitment)).toBe(toBase64(entry.commitment))
    } else {
      expect(body).toEqual({
        code: 'record_sealed',
        message: 'This entry is sealed until its position is closed or past its plan.',
        requestId: expect.any(String),
      })
      expect(caching).toBe('no-store')
    }
    found[symbol] = [...(found[symbol] ?? []), `${entry.kind} ${status}`]
  }
  expect(found).toEqual({
    [OPEN]: ['opened 404'],
    [PAST]: ['opened 200'],
    [CLOSED]: ['opened 200', 'closed 200'],
    [UNSETTLED]: ['opened 200', 'closed 200'],
    [STRUCK_OPEN]: ['opened 404', 'adjusted 404'],
    [STRUCK_CLOSED]: ['opened 200', 'closed 200', 'adjusted 200'],
    [SPLIT_OPEN]: ['opened 404', 'adjusted 404'],
    [SPLIT_CLOSED]: ['opened 200', 'closed 200', 'adjusted 200'],
  })
})

test('no public answer names the stock of a sealed entry, or has its salt', async () => {
  const { rows } = await pool.query<{ salt_key: Buffer }>('select salt_key from records')
  const size = entries.length
  const paths = [
    ...['checkpoint', 'keys', 'gaps', 'traders/maria', `tile/0/000.p/${size}`, `tile/entries/000.p/${size}`],
    ...['traders/MARIA', `proof?index=0&size=${size}`, `consistency?from=1&to=${size}`],
    ...entries.map(({ index }) => `openings/${index}`),
  ]
  for (const path of paths) {
    const { rawPayload } = await app.inject(`/record/${path}`)
    for (const symbol of [OPEN, STRUCK_OPEN, SPLIT_OPEN])
      expect(rawPayload.includes(symbol), `${path} ${symbol}`).toBe(false)
    for (const { salt_key } of rows)
      for (const written of [salt_key, salt_key.toString('hex'), salt_key.toString('base64')])
        expect(rawPayload.includes(written), path).toBe(false)
  }
})

test('the trader’s counts leave struck positions out, and the newest entry says how many are open', async () => {
  const { closed, open: openNow, seq } = (await app.inject('/record/traders/maria')).json()
  expect({ closed, openNow, seq }).toEqual({ closed: 3, openNow: 3, seq: entries.length })
  expect(entries.at(-1)?.open).toBe(3)
})

test('an entry opens in the moment in which its plan is over', async () => {
  const sealed = entries.find(({ text }) => text?.[1] === OPEN)
  if (!sealed) throw new Error('there is no such entry')
  const { rows } = await pool.query('select public_at from positions where symbol = $1', [OPEN])
  const publicAt: Date = rows[0].public_at
  clock.set(new Date(publicAt.getTime() - 1))
  expect((await openingOf(sealed)).status).toBe(404)
  clock.set(publicAt)
  expect((await openingOf(sealed)).status).toBe(200)
})
