import { afterAll, expect, test, vi } from 'vitest'
import { buildTestApp } from '../../test/build-test-app.ts'
import { call, completePayouts, makeTrader, readTables } from '../../test/factories.ts'
import { RACE_TIMEOUT_MS, rounds } from '../../test/rounds.ts'
import { type SignedIn, signIn } from '../../test/sign-in/sign-in.ts'

const testApp = await buildTestApp({ settings: { limitsOn: false } })
vi.setConfig({ testTimeout: RACE_TIMEOUT_MS })
afterAll(() => testApp.close())

const configuration = (who: SignedIn) => call(testApp, who, 'GET', '/v1/accounts/configuration')
const setUsername = (who: SignedIn, username: unknown) =>
  call(testApp, who, 'POST', '/v1/accounts/username', { username })

test('a new account has an empty username and no roles, and is made at the first look', {
  tags: ['API-06'],
}, async () => {
  const person = await signIn(testApp)
  const expected = {
    status: 200,
    body: {
      username: '',
      trader: false,
      customer: false,
      email: person.email,
      publicPage: false,
      about: '',
      followersShown: false,
    },
  }
  expect(await configuration(person)).toEqual(expected)
  expect(await configuration(person)).toEqual(expected)
  const { rowCount } = await testApp.pool.query('select 1 from accounts where user_id = $1', [person.userId])
  expect(rowCount).toBe(1)
})

test('username, trader, customer and status follow what was set and what the payment provider has answered', {
  tags: ['ACC-12'],
}, async () => {
  const person = await makeTrader(testApp)
  const { username } = person
  expect((await configuration(await signIn(testApp))).body).toMatchObject({ username: '' })
  const ask = async () => [
    (await configuration(person)).body,
    (await call(testApp, person, 'GET', '/v1/accounts/customer')).body,
    (await call(testApp, person, 'GET', '/v1/accounts/stripe/status')).body,
  ]
  expect(await ask()).toMatchObject([
    { username, trader: false, customer: false },
    { configured: false },
    { onboardComplete: false },
  ])

  const { db, clock } = testApp
  const started = { user_id: person.userId, created_at: clock.now() }
  await db
    .insertInto('customers')
    .values({ ...started, state: 'pending' })
    .execute()
  await db.insertInto('payout_accounts').values(started).execute()
  expect(await ask(), 'pending is not yet').toMatchObject([
    { trader: false, customer: false },
    { configured: false },
    { onboardComplete: false },
  ])

  await db
    .updateTable('customers')
    .set({ state: 'ready', stripe_customer_id: 'cus_1' })
    .where('user_id', '=', person.userId)
    .execute()
  await db
    .updateTable('payout_accounts')
    .set({ stripe_account_id: 'acct_1' })
    .where('user_id', '=', person.userId)
    .execute()
  expect(await ask(), 'onboarding started').toMatchObject([
    { username, trader: true, customer: true },
    { configured: true },
    { onboardComplete: false },
  ])

  await db.deleteFrom('payout_accounts').where('user_id', '=', person.userId).execute()
  await completePayouts(testApp, person)
  expect((await ask())[2]).toEqual({ onboardComplete: true })
  await db
    .updateTable('payout_accounts')
    .set({ closed_at: clock.now() })
    .where('user_id', '=', person.userId)
    .execute()
  expect((await ask())[2]).toEqual({ onboardComplete: false })
})

test('a username is set, trimmed, in the case it was typed', { tags: ['API-11'] }, async () => {
  const person = await signIn(testApp)
  expect(await setUsername(person, '  TraderOne ')).toEqual({ status: 200, body: { username: 'TraderOne' } })
  expect((await configuration(person)).body.username).toBe('TraderOne')
})

test.each([
  ['ab', 422, 'username_too_short', 'Username must be at least 3 characters.'],
  ['a'.repeat(16), 422, 'username_too_long', 'Username is too long'],
  ['a b', 422, 'username_invalid', 'Use letters, numbers, hyphens and underscores only.'],
  ['-abc', 422, 'username_beginning', 'Begin with a letter or number.'],
  ['_abc', 422, 'username_beginning', 'Begin with a letter or number.'],
  ['Admin', 409, 'username_taken', 'That username is taken.'],
  ['Tradep0st', 409, 'username_taken', 'That username is taken.'],
  ['trader-support', 409, 'username_taken', 'That username is taken.'],
  [7, 400, 'bad_request', 'Something went wrong, please try again.'],
  [null, 400, 'bad_request', 'Something went wrong, please try again.'],
])('%j is refused and changes nothing', async (username, status, code, message) => {
  const person = await signIn(testApp)
  const before = await readTables(testApp)
  expect(await setUsername(person, username)).toMatchObject({ status, body: { code, message } })
  expect(await readTables(testApp)).toEqual(before)
})

test('the server takes usernames of 3 to 15 characters, and no others', { tags: ['ACC-11'] }, async () => {
  for (const [username, status] of [
    ['ab', 422],
    ['abc', 200],
    ['a23456789012345', 200],
    ['a234567890123456', 422],
  ] as const) {
    expect((await setUsername(await signIn(testApp), username)).status, username).toBe(status)
  }
})

test('a username is set once, and a second attempt changes nothing, not even to the same name', {
  tags: ['ACC-10'],
}, async () => {
  const person = await makeTrader(testApp, 'FirstName')
  const before = await readTables(testApp)
  for (const name of ['SecondName', 'FirstName', 'firstname']) {
    expect(await setUsername(person, name)).toMatchObject({
      status: 409,
      body: { code: 'username_already_set', message: 'Your username has already been set.' },
    })
  }
  expect(await readTables(testApp)).toEqual(before)
})

test('the database itself refuses to change a username', async () => {
  const person = await makeTrader(testApp, 'Unchanging')
  const change = testApp.pool.query("update accounts set username = 'Other' where user_id = $1", [
    person.userId,
  ])
  await expect(change).rejects.toMatchObject({ code: '23514' })
})

test('a name is taken in any case, and the refusal changes nothing', async () => {
  await makeTrader(testApp, 'Taken')
  const person = await signIn(testApp)
  const before = await readTables(testApp)
  expect(await setUsername(person, 'tAKEN')).toMatchObject({ status: 409, body: { code: 'username_taken' } })
  expect(await readTables(testApp)).toEqual(before)
})

test('of two people who want one name at once, one gets it', { tags: ['ACC-09'] }, async () => {
  for (let round = 0; round < rounds(); round += 1) {
    const people = [await signIn(testApp), await signIn(testApp)]
    const names = [`Wanted${round}`, `wanted${round}`]
    const answers = await Promise.all(people.map((person, at) => setUsername(person, names[at])))
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([200, 409])
    expect(answers.find((answer) => answer.status === 409)?.body.code).toBe('username_taken')
  }
})

test('of two names that one person sends at once, one is set', async () => {
  for (let round = 0; round < rounds(); round += 1) {
    const person = await signIn(testApp)
    const answers = await Promise.all([
      setUsername(person, `Mine${round}`),
      setUsername(person, `Also${round}`),
    ])
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([200, 409])
    const set = answers.find((answer) => answer.status === 200)
    expect((await configuration(person)).body.username).toBe(set?.body.username)
  }
})
