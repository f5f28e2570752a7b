import { afterAll, expect, test } from 'vitest'
import { buildTestApp } from '../../test/build-test-app.ts'
import { call, makeTrader, subscribe, type Trader } from '../../test/factories.ts'
import { runOperator } from '../../test/run-operator.ts'
import { type SignedIn, signIn } from '../../test/sign-in/sign-in.ts'

const testApp = await buildTestApp({ settings: { limitsOn: false } })
afterAll(() => testApp.close())

const setAbout = (who: SignedIn, about: unknown) =>
  call(testApp, who, 'POST', '/v1/accounts/about', { about })
const show = (who: SignedIn, shown: unknown) =>
  call(testApp, who, 'POST', '/v1/accounts/followers-shown', { shown })
const ownAccount = async (who: SignedIn) =>
  (await call(testApp, who, 'GET', '/v1/accounts/configuration')).body
async function profileOf(trader: Trader, who: SignedIn) {
  const { status, body } = await call(testApp, who, 'GET', `/v1/accounts/profile?username=${trader.username}`)
  expect(status).toBe(200)
  return body
}

test('what a trader says about themselves stands on the profile as it is kept, until it is taken away', async () => {
  const [trader, reader] = [await makeTrader(testApp), await signIn(testApp)]
  expect(await profileOf(trader, reader)).not.toHaveProperty('about')
  expect((await ownAccount(trader)).about).toBe('')
  const typed = '  Large companies,\u202e held for weeks. 🚀\n'
  const kept = 'Large companies, held for weeks. 🚀'
  expect(await setAbout(trader, typed)).toEqual({ status: 200, body: { about: kept } })
  expect((await profileOf(trader, reader)).about).toBe(kept)
  expect((await ownAccount(trader)).about).toBe(kept)
  expect((await ownAccount(reader)).about).toBe('')
  expect(await setAbout(trader, ' \u200b ')).toEqual({ status: 200, body: { about: '' } })
  expect(await profileOf(trader, reader)).not.toHaveProperty('about')
})

test('a text of 160 characters is kept, a longer one and one that cannot be stored are refused and change nothing', async () => {
  const trader = await makeTrader(testApp)
  const longest = '🚀'.repeat(80)
  expect(await setAbout(trader, longest)).toEqual({ status: 200, body: { about: longest } })
  const tooLong = { status: 422, body: { code: 'about_too_long', message: 'Use at most 160 characters.' } }
  expect(await setAbout(trader, 'x'.repeat(161))).toMatchObject(tooLong)
  expect(await setAbout(trader, `${longest}!`)).toMatchObject(tooLong)
  for (const about of [undefined, null, 7, ['x'], 'a\u0000b', '\ud83d'])
    expect((await setAbout(trader, about)).status, String(about)).toBe(400)
  expect((await ownAccount(trader)).about).toBe(longest)
  const forced = testApp.pool.query('update accounts set about = $2 where user_id = $1', [
    trader.userId,
    'x'.repeat(161),
  ])
  await expect(forced).rejects.toMatchObject({ constraint: 'accounts_about_has_a_name' })
})

test('the number of followers is on the profile while its trader shows it, and nowhere before', async () => {
  const [trader, follower, reader] = [await makeTrader(testApp), await signIn(testApp), await signIn(testApp)]
  await subscribe(testApp, follower, trader)
  for (const who of [reader, follower]) expect(await profileOf(trader, who)).not.toHaveProperty('followers')
  expect(await show(trader, true)).toEqual({ status: 200, body: { followersShown: true } })
  for (const who of [reader, follower, trader]) expect((await profileOf(trader, who)).followers).toBe(1)
  expect((await ownAccount(trader)).followersShown).toBe(true)
  await subscribe(testApp, reader, trader)
  expect((await profileOf(trader, reader)).followers).toBe(2)
  expect(await show(trader, false)).toEqual({ status: 200, body: { followersShown: false } })
  expect(await profileOf(trader, reader)).not.toHaveProperty('followers')
  for (const shown of [undefined, null, 'true', 1])
    expect((await show(trader, shown)).status, String(shown)).toBe(400)
})

test('neither is there without a username', async () => {
  const person = await signIn(testApp)
  const refused = { status: 409, body: { code: 'username_required' } }
  expect(await setAbout(person, 'Held for weeks.'), 'before the first look').toMatchObject(refused)
  expect(await ownAccount(person)).toMatchObject({ about: '', followersShown: false })
  expect(await setAbout(person, 'Held for weeks.')).toMatchObject(refused)
  expect(await show(person, true)).toMatchObject(refused)
})

test('of a suspended trader nobody reads either, and both are there again once an operator restores them', async () => {
  const [trader, reader] = [await makeTrader(testApp), await signIn(testApp)]
  await setAbout(trader, 'Held for weeks.')
  await show(trader, true)
  await runOperator(testApp, 'suspend', `@${trader.username}`, 'A', 'reason.')
  const hidden = await profileOf(trader, reader)
  expect(hidden.suspended).toBe(true)
  expect(hidden).not.toHaveProperty('about')
  expect(hidden).not.toHaveProperty('followers')
  expect((await setAbout(trader, 'Again.')).status).toBe(403)
  await runOperator(testApp, 'restore', `@${trader.username}`, 'A', 'reason.')
  expect(await profileOf(trader, reader)).toMatchObject({ about: 'Held for weeks.', followers: 0 })
})
