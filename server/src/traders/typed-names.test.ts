import { afterAll, expect, test } from 'vitest'
import { buildTestApp } from '../../test/build-test-app.ts'
import { call, makeTrader } from '../../test/factories.ts'
import { signIn } from '../../test/sign-in/sign-in.ts'

const testApp = await buildTestApp({ settings: { limitsOn: false } })
afterAll(() => testApp.close())

const trader = await makeTrader(testApp, 'Maria')
await testApp.pool.query(
  'insert into trader_stats (trader_id, closed_count, open_count, gain_sum) values ($1, 1, 0, 12)',
  [trader.userId],
)
const reader = await signIn(testApp)
const get = (url: string) => call(testApp, reader, 'GET', url)

/** As mails, pages and posts write the name, and as it comes along when it is copied. */
const TYPED = ['@maria', '＠Maria', ' @ MARIA ', '\u200b@ma\u00adria\u202c', 'Ｍａｒｉａ']

test.each(TYPED)('a trader is found by %j wherever a name is taken', async (typed) => {
  const name = encodeURIComponent(typed)
  expect((await get(`/v1/accounts/search?username=${name}`)).body).toMatchObject({ username: 'Maria' })
  expect((await get(`/v1/accounts/profile?username=${name}`)).body).toMatchObject({ username: 'Maria' })
  expect((await get(`/v1/accounts/suggestions?username=${name}`)).body).toMatchObject({
    match: 'beginning',
    traders: [{ username: 'Maria' }],
  })
  expect((await get(`/v1/traders/${name}/positions/closed`)).status).toBe(200)
  expect((await get(`/v1/traders/${name}/track-record`)).status).toBe(200)
  expect((await get(`/v1/subscriptions/${name}`)).body).toMatchObject({ subscribed: false })
  // Found, and not to be subscribed to: she takes no payouts yet.
  const begun = await call(testApp, reader, 'POST', '/v1/subscriptions/new', { username: typed })
  expect([begun.status, begun.body.code]).toEqual([409, 'not_subscribable'])
})

test('two letters behind an at sign are too few to be searched for, and a sign alone finds nobody', async () => {
  expect((await get('/v1/accounts/search?username=%40ma')).body).toMatchObject({ code: 'query_too_short' })
  expect((await get('/v1/accounts/profile?username=%40')).status).toBe(404)
  expect((await get('/v1/accounts/suggestions?username=%40')).body).toEqual({
    match: 'beginning',
    traders: [],
  })
})
