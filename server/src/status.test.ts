import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { makeTestClock, TEST_NOW } from '../test/build-test-app.ts'
import { openTestDatabase, silentLog } from '../test/database/database.ts'
import { addFollowers, makeCrowdTrader, planAll, publish } from '../test/followers.ts'
import { keepDelivery } from './activity/read-delivery.ts'
import { openApiDocument } from './api-docs/openapi.ts'
import { keepReturned } from './billing/empty-months/keep-returned.ts'
import { makeHttpServer } from './platform/http/http-server.ts'
import { readWebDocuments } from './platform/http/web-documents.ts'
import { statusRoute } from './status.routes.ts'

const database = await openTestDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { db, pool } = database
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/** The page as a process of the product answers it, with a clock that the test moves. */
async function serve() {
  const dist = mkdtempSync(join(tmpdir(), 'tradepost-status-'))
  const files = {
    'index.html': '',
    'text.html': '<title>__TITLE__</title>__TEXT__',
    'csp.json': '{"scripts":[],"styles":[]}',
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dist, name), text)
  const origin = 'https://tradepost.example'
  const app = await makeHttpServer({ log: silentLog, origin, trustProxy: null, limitsOn: false })
  const money = { platformFeePercent: 10, subscription: { priceCents: 1000, currency: 'usd' } }
  const documents = readWebDocuments({ marketOverride: null, sandbox: null, ...money }, origin, dist)
  const clock = makeTestClock(TEST_NOW)
  statusRoute(app, { clock, documents, delivery: keepDelivery(db), returned: keepReturned(db) })
  return {
    clock,
    open: () => app.inject({ url: '/status' }),
    ask: async () => (await app.inject({ url: '/status.json' })).json(),
    async [Symbol.asyncDispose]() {
      await app.close()
      rmSync(dist, { recursive: true })
    },
  }
}

/** Publishes to so many followers, whose mails were taken evenly from one to another second after that. */
async function publishMailed(
  name: string,
  at: Date,
  mails: { count: number; from: number; to: number },
): Promise<void> {
  const crowd = await makeCrowdTrader(pool, name, at)
  await addFollowers(pool, crowd, mails.count, at)
  await publish(db, crowd, { symbol: 'AAPL' }, at)
  await planAll(db, at)
  await pool.query(
    `update delivery_ranges set sent_count = $2, progress_mail_no = to_mail_no, first_sent_at = $3, last_sent_at = $4,
       done_at = $4 where trader_id = $1`,
    [crowd.traderId, mails.count, seconds(at, mails.from), seconds(at, mails.to)],
  )
}

const seconds = (at: Date, count: number) => new Date(at.getTime() + count * 1000)
const itemsOf = (html: string) => [...html.matchAll(/<li>(.*?)<\/li>/g)].map(([, text]) => text)

test('the status shows how fast mails went in a day and a week, without names, and that there is nothing to show', {
  tags: ['ACT-08'],
}, async () => {
  await using page = await serve()
  const nothing = await page.open()
  expect(nothing.statusCode).toBe(200)
  expect(nothing.headers['content-type']).toBe('text/html; charset=utf-8')
  expect(nothing.body).toContain('<title>Status</title>')
  expect(nothing.body.match(/No mail went out, so there is nothing to say\./g)).toHaveLength(2)

  await publishMailed('slowcoach', new Date(TEST_NOW.getTime() - 3 * DAY_MS), {
    count: 100,
    from: 10,
    to: 200,
  })
  await publishMailed('speedy', new Date(TEST_NOW.getTime() - 60 * MINUTE_MS), { count: 100, from: 1, to: 3 })
  await publishMailed('ancient', new Date(TEST_NOW.getTime() - 8 * DAY_MS), {
    count: 100,
    from: 900,
    to: 950,
  })
  // That nothing went out is kept for five seconds, what was counted for five minutes.
  page.clock.advance(4999)
  expect((await page.open()).body).toBe(nothing.body)
  page.clock.advance(1)
  const { body } = await page.open()
  await publishMailed('late', TEST_NOW, { count: 100, from: 1, to: 3 })
  page.clock.advance(5 * MINUTE_MS - 1)
  expect((await page.open()).body).toBe(body)
  page.clock.advance(1)
  expect((await page.open()).body).not.toBe(body)
  expect(itemsOf(body)).toEqual([
    'Half of them within <strong>2.0 s</strong>',
    '95 % within <strong>3.0 s</strong>',
    '99 % within <strong>3.0 s</strong>',
    'Half of them within <strong>3.0 s</strong>',
    '95 % within <strong>4 min</strong>',
    '99 % within <strong>4 min</strong>',
  ])
  expect(body).not.toMatch(/slowcoach|speedy|AAPL|mails about/)
})

test('numbers are those of the month before, rounded down to tens, and rise with nothing that is published', async () => {
  await using page = await serve()
  page.clock.set(new Date('2026-05-01T00:00:00Z'))
  const mail = (count: number) => ({ count, from: 1, to: 2 })
  await publishMailed('may', new Date('2026-05-01T00:00:00Z'), mail(1000))
  for (const [nth, day] of ['03-31T23:59:59.999', '04-01T00:00:00', '04-30T23:59:59.999'].entries())
    await publishMailed(`april${nth}`, new Date(`2026-${day}Z`), mail(17))
  const numbersOf = (html: string) => /<p>In the month before.*<\/p>/.exec(html)?.[0]
  const shown = '<p>In the month before this one, at least 30 mails about some events went out.</p>'
  const { body } = await page.open()
  expect(numbersOf(body)).toBe(shown)
  expect(body).not.toMatch(/1,000|1000/)
  await publishMailed('more', page.clock.now(), mail(28))
  page.clock.advance(5 * MINUTE_MS)
  expect(numbersOf((await page.open()).body)).toBe(shown)
})

/** Writes months of one trader that went back at an instant. */
async function returnMonths(name: string, at: string, count: number): Promise<void> {
  const { traderId } = await makeCrowdTrader(pool, name, new Date(at))
  await pool.query(
    `insert into debts (trader_id, id, subscriber_id, kind, stripe_subscription_id, subject, invoice_id, cause, amount_cents, currency,
       state, created_at, settled_at)
     select $1, gen_random_uuid(), gen_random_uuid(), 'empty_month', 'sub', 'in_' || nth, 'in_' || nth, 'empty_2026-05-01', 1000, 'usd',
       'settled', $2, $2 from generate_series(1, $3::int) nth`,
    [traderId, at, count],
  )
}

test('months that went back in the calendar month before are counted in tens, for people and programs', async () => {
  await using page = await serve()
  page.clock.set(new Date('2026-07-01T00:00:00Z'))
  const sentence = async () =>
    /In the month before this one,\s(.*) paid months went back\./.exec((await page.open()).body)?.[1]
  const figure = async () => (await page.ask()).lastMonth.returnedMonths
  expect([await sentence(), await figure()]).toEqual(['fewer than 10', 'fewer than 10'])
  await returnMonths('before', '2026-06-30T23:59:59.999Z', 100)
  await returnMonths('first', '2026-07-01T00:00:00Z', 17)
  await returnMonths('last', '2026-07-31T23:59:59.999Z', 12)
  await returnMonths('after', '2026-08-01T00:00:00Z', 100)
  // A month that came to nothing is none.
  await pool.query("update debts set amount_cents = 0 where subject = 'in_1'")
  page.clock.set(new Date('2026-08-01T00:00:00Z'))
  expect([await sentence(), await figure()]).toEqual(['at least 20', 'at least 20'])
  page.clock.set(new Date('2026-08-31T23:59:59.999Z'))
  expect(await figure()).toBe('at least 20')
  page.clock.set(new Date('2026-09-01T00:00:00Z'))
  expect(await figure()).toBe('at least 90')
})

test('a status that could not be counted is counted again at the next request', async () => {
  await using page = await serve()
  await pool.query('alter table delivery_ranges rename to delivery_ranges_away')
  expect((await page.open()).statusCode).toBe(500)
  await pool.query('alter table delivery_ranges_away rename to delivery_ranges')
  expect((await page.open()).statusCode).toBe(200)
})

test('the API document names every field of the answer to programs, and what it counts', async () => {
  await using page = await serve()
  const { info } = openApiDocument('https://tradepost.example') as { info: { description: string } }
  const answer = await page.ask()
  const fields = [answer, answer.day, answer.week, answer.lastMonth].flatMap((one) => Object.keys(one))
  for (const field of fields) expect(info.description).toContain(`\`${field}\``)
  for (const unit of ['seconds', 'percent', 'counts', 'paid months']) expect(info.description).toContain(unit)
})
