import { fromBase64Url } from '@tradepost/record/bytes'
import { checkReceipt } from '@tradepost/record/receipt'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, expect, test } from 'vitest'
import { readActivity } from '../../../test/activity.ts'
import { buildTestApp, TEST_NOW } from '../../../test/build-test-app.ts'
import { askForFile, pressLink, type ReadFile, readFile, takeFile } from '../../../test/exports.ts'
import {
  call,
  close,
  completePayouts,
  makeTrader,
  moveSubscription,
  open,
  subscribe,
  type Trader,
} from '../../../test/factories.ts'
import { startQuoteServer } from '../../../test/prices/quote-server.ts'
import { makeTestRecord, policyOf } from '../../../test/record.ts'
import { runReaders } from '../../../test/run-readers.ts'
import { makeSecretKey } from '../../auth/keys/secret-key.ts'
import { correctPrice } from '../../positions/correct/correct-price.ts'
import { strikePosition } from '../../positions/correct/strike-position.ts'
import { sha256, verifyEd25519 } from '../../record/hashes.ts'

const NEXT_DAY = new Date('2026-03-05T15:00:00.000Z')
const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
const { clock, db, pool, settings } = testApp
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})

/** Takes somebody's file as if they had just proved the mailbox. */
async function fileOf(who: Trader): Promise<ReadFile> {
  await pool.query('update sessions set reauthenticated_at = $1 where id = $2', [clock.now(), who.sessionId])
  return takeFile(testApp, who)
}

async function pay(trader: Trader, subscriptionId: string, invoice: string, cents: number, refunded = 0) {
  await pool.query(
    `insert into invoices (trader_id, invoice_id, subscription_id, status, amount_due_cents, amount_paid_cents, refunded_cents,
       transferred_cents, reversed_cents, fee_cents, fee_refunded_cents, currency, created_at, paid_at, synced_at)
     values ($1, $2, $3, 'paid', $4, $4, $5, $4, $5, $4 / 10, $5 / 10, 'usd', $6, $6, $6)`,
    [trader.userId, invoice, subscriptionId, cents, refunded, clock.now()],
  )
}

async function idOf(trader: Trader, symbol: string): Promise<string> {
  const { rows } = await pool.query('select id from positions where trader_id = $1 and symbol = $2', [
    trader.userId,
    symbol,
  ])
  return rows[0].id
}

const totalsOf = (file: ReadFile) =>
  Object.fromEntries(
    file.of('totals').map(({ amount, currency, name }) => [currency ? `${name} ${currency}` : name, amount]),
  )

/** A trader with positions of every kind and three followers, of whom one pays, one left and one paid and got it back. */
async function makeWorld() {
  clock.set(TEST_NOW)
  const [maria, tom, jose, ines] = [
    await makeTrader(testApp),
    await makeTrader(testApp),
    await makeTrader(testApp),
    await makeTrader(testApp),
  ]
  await completePayouts(testApp, maria)
  const stays = await subscribe(testApp, tom, maria)
  await open(testApp, quotes, maria, 'WINS', 100)
  await open(testApp, quotes, maria, 'LOST', 100)
  const left = await subscribe(testApp, jose, maria)
  await open(testApp, quotes, maria, 'OPEN', 50)
  await open(testApp, quotes, maria, 'WRONG', 10)
  await moveSubscription(testApp, maria, left, 'canceled')
  clock.set(NEXT_DAY)
  await close(testApp, quotes, maria, 'WINS', 117.5)
  await close(testApp, quotes, maria, 'LOST', 87.25)
  await close(testApp, quotes, maria, 'WRONG', 1000)
  const deps = { db, secret: makeSecretKey(settings.authSecret) }
  await strikePosition(
    deps,
    { id: await idOf(maria, 'WRONG'), reason: 'Nobody traded at that price.' },
    clock.now(),
  )
  const corrected = { id: await idOf(maria, 'LOST'), end: 'close', price: '90.00', reason: 'Printed wrong.' }
  await correctPrice(deps, corrected, clock.now())
  await pay(maria, stays, `in_${stays}`, 1000)
  await pay(maria, left, `in_${left}`, 1500, 500)
  return { maria, tom, jose, ines }
}

test('a trader’s file has everything that the screens show of them, and its sums are those of the screens', async () => {
  const { maria } = await makeWorld()
  await call(testApp, maria, 'POST', '/v1/accounts/about', { about: 'Held for weeks, with reasons.' })
  await call(testApp, maria, 'POST', '/v1/feedback', { feedback: 'The chart should show more.' })
  const file = await fileOf(maria)
  const profile = (await call(testApp, maria, 'GET', `/v1/accounts/profile?username=${maria.username}`)).body
  const desk = (await call(testApp, maria, 'GET', '/v1/accounts/desk')).body
  expect(profile).toMatchObject({ openPositions: 1, closedPositions: 2, averageProfit: 3.75 })
  expect(desk).toMatchObject({ income: [{ currency: 'usd', allCents: 1800 }] })
  expect(totalsOf(file)).toEqual({
    positions: '3',
    open_positions: '1',
    closed_positions: '2',
    struck_positions: '1',
    average_gain_percent: '3.75',
    'earned_cents usd': '1800',
  })
  expect(file.of('account')).toMatchObject([
    {
      email: maria.email,
      username: maria.username,
      about: 'Held for weeks, with reasons.',
      recovery_codes_left: 0,
    },
  ])
  expect(file.of('feedback')).toMatchObject([{ body: 'The chart should show more.' }])
  expect(file.of('sessions')).toMatchObject([{ id: maria.sessionId, revoked_at: null }])
  expect(
    file.of('positions').map(({ close_price, open_notes, symbol }) => [symbol, close_price, open_notes]),
  ).toEqual([
    ['WINS', '117.500000', 'Bought for a reason that is long enough.'],
    ['LOST', '90.000000', 'Bought for a reason that is long enough.'],
    ['OPEN', null, 'Bought for a reason that is long enough.'],
    ['WRONG', '1000.000000', 'Bought for a reason that is long enough.'],
  ])
  expect(
    file
      .of('position_changes')
      .map(({ explained, price_before, reason }) => [reason, explained, price_before]),
  ).toEqual(
    expect.arrayContaining([
      ['struck', 'Nobody traded at that price.', null],
      ['price', 'Printed wrong.', '87.250000'],
    ]),
  )
  expect(file.of('earnings').reduce((sum, { transferred_cents }) => sum + Number(transferred_cents), 0)).toBe(
    2500,
  )
  expect(file.of('payout_account')).toMatchObject([{ transfers_status: 'active', state: 'ready' }])
  expect(file.of('follower_months')).toMatchObject([{ month: '2026-03-01', gained: 2, lost: 1 }])
  expect(file.of('security_log').map(({ action }) => action)).toContain('export_requested')
})

test('of followers a trader’s file has no name, no address and no id', async () => {
  const { jose, maria, tom } = await makeWorld()
  const file = await fileOf(maria)
  const everything = file.names.map(file.textOf).join('\n')
  for (const { email, userId, username } of [tom, jose])
    for (const value of [email, userId, username]) expect(everything).not.toContain(value)
})

test('a follower’s file has what they were told while they paid, and nothing of before and after', async () => {
  const { jose, maria, tom } = await makeWorld()
  for (const who of [tom, jose]) {
    const file = await fileOf(who)
    const told = await readActivity(testApp, who)
    expect(told.items.length).toBeGreaterThan(0)
    expect(file.of('activity').map(({ kind, position_id }) => `${kind} ${position_id}`)).toEqual(
      told.items.map(({ kind, positionId }) => `${kind} ${positionId}`),
    )
  }
  const [ofTom, ofJose] = [await fileOf(tom), await fileOf(jose)]
  const inShort = (file: ReadFile) =>
    file
      .of('activity')
      .map(({ kind, percentage_gain, symbol }) => `${kind} ${symbol} ${percentage_gain ?? ''}`.trim())
  expect(inShort(ofJose)).toEqual(['opened WRONG', 'opened OPEN'])
  expect(inShort(ofTom)).toHaveLength(9)
  expect(inShort(ofTom)).toContain('closed WINS 17.5')
  expect(ofJose.of('following')).toMatchObject([
    {
      trader: maria.username,
      status: 'canceled',
      price_cents: 1000,
      currency: 'usd',
      entitled_from_event: 2,
      entitled_until_event: 4,
    },
  ])
  expect(ofTom.of('following')).toMatchObject([
    { trader: maria.username, status: 'active', entitled_until_event: null },
  ])
  expect(totalsOf(ofTom)).toMatchObject({
    positions: '0',
    'paid_cents usd': '1000',
    'refunded_cents usd': '0',
  })
  expect(totalsOf(ofJose)).toMatchObject({ 'paid_cents usd': '1500', 'refunded_cents usd': '500' })
  expect(ofJose.of('payments')).toMatchObject([
    { trader: maria.username, amount_paid_cents: 1500, refunded_cents: 500 },
  ])
})

test('receipts in the file are accepted without a network, those of one’s own and those of what one was told', async () => {
  const record = makeTestRecord(testApp)
  const readers = runReaders(testApp, clock, [record.reader])
  const { jose, maria } = await makeWorld()
  await expect
    .poll(async () => (await pool.query("select from event_work where reader = 'record'")).rowCount)
    .toBe(0)
  await readers.stop()
  const policy = await policyOf(testApp)
  const kinds = async (who: Trader, table: string) => {
    const rows = (await fileOf(who)).of(table)
    for (const { log_index, receipt } of rows) {
      const bytes = fromBase64Url(String(receipt)) ?? new Uint8Array()
      expect(await checkReceipt(bytes, policy, { sha256, verify: verifyEd25519 })).toMatchObject({
        index: log_index,
      })
    }
    return rows.map(({ change, event_no }) => `${event_no} ${change}`)
  }
  expect(await kinds(maria, 'own_receipts')).toEqual([
    ...['1 opened', '2 opened', '3 opened', '4 opened', '5 closed', '6 closed', '7 closed'],
    ...['8 struck', '9 corrected'],
  ])
  expect(await kinds(jose, 'received_receipts')).toEqual(['3 opened', '4 opened'])
})

test('the file is as its schema says, its tables say the same as its JSON, and it tells what each of them holds', async () => {
  const { maria, tom } = await makeWorld()
  for (const who of [maria, tom]) {
    const file = await fileOf(who)
    const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(
      JSON.parse(file.textOf('schema.json')),
    )
    const data = JSON.parse(file.textOf('data.json'))
    expect(validate(data), JSON.stringify(validate.errors)).toBe(true)
    const { format, made_at, version, ...tables } = data
    expect({ format, made_at, version }).toEqual({
      format: 'tradepost-data',
      version: 1,
      made_at: '2026-03-05T15:00:00.000Z',
    })
    expect(file.names).toEqual([
      ...['README.txt', 'schema.json', 'data.json'],
      ...Object.keys(tables).map((name) => `csv/${name}.csv`),
    ])
    for (const [name, rows] of Object.entries(tables) as [string, object[]][]) {
      const text = file.textOf(`csv/${name}.csv`)
      expect(text.startsWith('\uFEFF'), name).toBe(true)
      expect(text.split('\r\n'), name).toHaveLength(rows.length + 2)
      expect(file.textOf('README.txt')).toMatch(new RegExp(`^${name}\\r$`, 'm'))
    }
  }
})

test('somebody who has just signed in gets a file too, with nothing in it but themselves', async () => {
  const ines = await makeTrader(testApp)
  const file = await fileOf(ines)
  expect(totalsOf(file)).toEqual({
    positions: '0',
    open_positions: '0',
    closed_positions: '0',
    struck_positions: '0',
  })
  const filled = file.names.flatMap((name) => {
    const table = name.replace(/^csv\/|\.csv$/g, '')
    return name.startsWith('csv/') && file.of(table).length > 0 ? [table] : []
  })
  expect(filled).toEqual(['account', 'identities', 'sessions', 'security_log', 'files', 'mails', 'totals'])
})

test('rows that are written while the file is are left out', async () => {
  const { maria } = await makeWorld()
  await pool.query('update sessions set reauthenticated_at = $1 where id = $2', [
    clock.now(),
    maria.sessionId,
  ])
  const path = await askForFile(testApp, maria)
  await pool.query("update positions set opened_at = $1 where symbol = 'OPEN' and trader_id = $2", [
    new Date(clock.now().getTime() + 1),
    maria.userId,
  ])
  const file = readFile((await pressLink(testApp, path)).rawPayload)
  expect(file.of('positions').map(({ symbol }) => symbol)).toEqual(['WINS', 'LOST', 'WRONG'])
  expect(totalsOf(file)).toMatchObject({ positions: '2' })
})
