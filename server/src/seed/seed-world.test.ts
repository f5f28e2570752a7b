import { afterAll, expect, test } from 'vitest'
import { buildTestApp } from '../../test/build-test-app.ts'
import { call, readTables } from '../../test/factories.ts'
import { openPaymentsRoom } from '../../test/payments-room.ts'
import { startQuoteServer } from '../../test/quote-server.ts'
import { signIn } from '../../test/sign-in.ts'
import { makeSeedPayments } from './seed-payments.ts'
import { seedWorld } from './seed-world.ts'
import { makeWorld, SYMBOLS } from './world.ts'

const room = await openPaymentsRoom({ limitsOn: false })
const quotes = await startQuoteServer()
afterAll(() => quotes.close())
const { clock, deps, stage, stripe } = room
const now = clock.now()
for (const symbol of SYMBOLS) quotes.set(symbol, { price: 100, at: now })

const world = makeWorld({ traders: 3, subscribers: 4, seed: 1 }, now)
const money = { priceCents: 1000, currency: 'usd' }

test('demo traders can be subscribed to for real in the sandbox, and demo followers are customers', async () => {
  const seed = {
    db: room.db,
    prices: quotes.prices,
    payments: makeSeedPayments({ ...deps, sandboxUrl: stage.url }),
  }
  expect(await seedWorld(seed, world, money, now)).toMatchObject({ traders: 3, subscribers: 4 })
  const viewer = await signIn(room)
  for (const { username } of world.traders) {
    const { body } = await room.get(viewer, `/v1/accounts/profile?username=${username}`)
    expect(body).toMatchObject({ canSubscribe: true })
  }
  expect((await stripe.customers.list()).data.map(({ email }) => email).toSorted()).toEqual(
    world.subscribers.map(({ email }) => email).toSorted(),
  )

  const before = await readTables(room)
  expect(await seedWorld(seed, world, money, now)).toEqual({ traders: 0, subscribers: 0, positions: 0 })
  expect(await readTables(room), 'seeding twice adds nothing').toEqual(before)
  expect((await stripe.v2.core.accounts.list()).data).toHaveLength(3)
})

test('where payments are not the sandbox, demo people have no business at Stripe', async () => {
  const testApp = await buildTestApp({ clock })
  await seedWorld({ db: testApp.db, prices: quotes.prices, payments: null }, world, money, now)
  const { customers, payout_accounts, subscriptions } = Object.fromEntries(
    Object.entries(await readTables(testApp)).map(([name, { count }]) => [
      name.replace('public.', ''),
      count,
    ]),
  )
  expect({ customers, payout_accounts }).toEqual({ customers: 0, payout_accounts: 0 })
  expect(subscriptions).toBeGreaterThan(0)
  const [trader] = world.traders
  const profile = `/v1/accounts/profile?username=${trader?.username}`
  expect((await call(testApp, await signIn(testApp), 'GET', profile)).body).toMatchObject({
    canSubscribe: false,
  })
  await testApp.close()
})
