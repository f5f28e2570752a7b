import { afterAll, expect, test } from 'vitest'
import { buildTestApp } from '../../test/build-test-app.ts'
import { call, makeTrader } from '../../test/factories.ts'
import { type SignedIn, signIn } from '../../test/sign-in/sign-in.ts'

const testApp = await buildTestApp({ settings: { limitsOn: false } })
afterAll(() => testApp.close())

const turn = (who: SignedIn, enabled: unknown) =>
  call(testApp, who, 'POST', '/v1/accounts/public-page', { enabled })
const isOn = async (who: SignedIn) =>
  (await call(testApp, who, 'GET', '/v1/accounts/configuration')).body.publicPage

test('a public page is off until its trader turns it on, and off again when they turn it off', async () => {
  const trader = await makeTrader(testApp)
  const other = await makeTrader(testApp)
  expect(await isOn(trader)).toBe(false)
  expect(await turn(trader, true)).toEqual({ status: 200, body: { publicPage: true } })
  expect([await isOn(trader), await isOn(other)]).toEqual([true, false])
  expect(await turn(trader, false)).toEqual({ status: 200, body: { publicPage: false } })
  expect(await isOn(trader)).toBe(false)
})

test('turning a page on that is on already keeps since when it is on', async () => {
  const trader = await makeTrader(testApp)
  const since = async () => {
    const { rows } = await testApp.pool.query('select public_page_since from accounts where user_id = $1', [
      trader.userId,
    ])
    return rows[0]?.public_page_since as Date
  }
  await turn(trader, true)
  const before = await since()
  testApp.clock.advance(60_000)
  await turn(trader, true)
  expect(await since()).toEqual(before)
  await turn(trader, false)
  await turn(trader, true)
  expect((await since()).getTime() - before.getTime()).toBe(60_000)
})

test('there is no public page without a username', async () => {
  const person = await signIn(testApp)
  const refused = { status: 409, body: { code: 'username_required' } }
  expect(await turn(person, true), 'before the first look').toMatchObject(refused)
  expect(await isOn(person)).toBe(false)
  expect(await turn(person, true)).toMatchObject(refused)
  const change = testApp.pool.query('update accounts set public_page_since = now() where user_id = $1', [
    person.userId,
  ])
  await expect(change).rejects.toMatchObject({ constraint: 'accounts_public_page_has_a_name' })
})

test('a body without a boolean is refused', async () => {
  const trader = await makeTrader(testApp)
  for (const enabled of [undefined, null, 'true', 1])
    expect((await turn(trader, enabled)).status, String(enabled)).toBe(400)
})
