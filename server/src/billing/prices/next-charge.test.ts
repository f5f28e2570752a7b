import type Stripe from 'stripe'
import { afterAll, expect, test } from 'vitest'
import { call } from '../../../test/factories.ts'
import { makePair, startBillingScenario, subscribeAtStripe } from '../../../test/money/billing-scenario.ts'
import { makeFollowing } from '../../../test/money/following-at-a-price.ts'
import type { SignedIn } from '../../../test/sign-in/sign-in.ts'
import { compareWithStripe } from '../webhooks/webhooks.jobs.ts'

const scenario = await startBillingScenario()
const { stripe, testApp } = scenario
afterAll(() => scenario[Symbol.asyncDispose]())

type Listed = { priceCents: number; discount?: { cents: number; thenCents: number; until: string | null } }

async function listed(who: SignedIn): Promise<Listed> {
  const { body } = await call(testApp, who, 'GET', '/v1/subscriptions')
  const [first] = body.subscriptions as Listed[]
  if (!first) throw new Error('nothing is listed')
  return first
}
const costs = async (who: SignedIn) =>
  ((await call(testApp, who, 'GET', '/v1/following/results')).body.costs as { cents: number }[])[0]?.cents
const ahead = async (who: SignedIn) =>
  ((await call(testApp, who, 'GET', '/v1/accounts/desk')).body.ahead as { cents: number }[])[0]?.cents

const coupon = async (terms: Stripe.CouponCreateParams) => (await stripe.coupons.create(terms)).id

const QUARTER = { percent_off: 25 }

test('the list names the first renewal that costs the price again, and none where the discount stays', async () => {
  const three = await makeFollowing(scenario, {
    terms: {
      discounts: [{ coupon: await coupon({ ...QUARTER, duration: 'repeating', duration_in_months: 3 }) }],
    },
  })
  // It began on March 4, 2026.
  const until = '2026-06-04T15:00:00.000Z'
  expect((await listed(three.person)).discount).toEqual({ cents: 750, thenCents: 1000, until, code: null })
  await three.pass(31)
  expect((await listed(three.person)).discount).toMatchObject({ cents: 750, until })
  await three.pass(31)
  expect((await listed(three.person)).discount).toBeUndefined()
})

/** The price, what is taken off, and the renewals: what each costs, and what is left of it to the trader, less 10 %. */
const CASES: [string, string, Stripe.CouponCreateParams, [number, number][]][] = [
  [
    '25 % once',
    '10',
    { ...QUARTER, duration: 'once' },
    [
      [1000, 900],
      [1000, 900],
    ],
  ],
  [
    '25 % for three months',
    '10',
    { ...QUARTER, duration: 'repeating', duration_in_months: 3 },
    [
      [750, 675],
      [750, 675],
      [1000, 900],
    ],
  ],
  [
    '25 % always',
    '10',
    { ...QUARTER, duration: 'forever' },
    [
      [750, 675],
      [750, 675],
      [750, 675],
    ],
  ],
  [
    'a third that is no whole cent',
    '9.99',
    { percent_off: 33, duration: 'forever' },
    [
      [669, 602],
      [669, 602],
    ],
  ],
  [
    'half of an odd price',
    '9.99',
    { percent_off: 50, duration: 'forever' },
    [
      [499, 449],
      [499, 449],
    ],
  ],
  [
    'an amount',
    '10',
    { amount_off: 251, currency: 'usd', duration: 'forever' },
    [
      [749, 674],
      [749, 674],
    ],
  ],
  [
    'more than the price',
    '10',
    { amount_off: 1500, currency: 'usd', duration: 'repeating', duration_in_months: 2 },
    [
      [0, 0],
      [1000, 900],
    ],
  ],
]

test.each(CASES)(
  'with %s off, each renewal costs what the list said beforehand',
  async (_, monthly, terms, expected) => {
    const { pass, paid, person, trader } = await makeFollowing(scenario, {
      monthly,
      terms: { discounts: [{ coupon: await coupon(terms) }] },
    })
    const said: unknown[] = []
    for (const _renewal of expected) {
      const { discount, priceCents } = await listed(person)
      const next = discount?.cents ?? priceCents
      expect(await costs(person)).toBe(next)
      said.push([next, await ahead(trader)])
      await pass(31)
    }
    expect(said).toEqual(expected)
    expect((await paid()).slice(1)).toEqual(expected.map(([cents]) => cents))
  },
)

test('a year has its discount of the whole year’s price, and counts as a twelfth of what is paid', async () => {
  const { person } = await makeFollowing(scenario, {
    yearly: '100',
    terms: { discounts: [{ coupon: await coupon({ ...QUARTER, duration: 'forever' }) }] },
  })
  expect((await listed(person)).discount).toEqual({ cents: 7500, thenCents: 10_000, until: null, code: null })
  expect(await costs(person)).toBe(625)
})

test('the nightly comparison finds a discount that is not stored', async () => {
  // Without a clock of their own: Stripe lists nothing that is on one.
  const { person, trader } = await makePair(scenario)
  const discounts = [{ coupon: await coupon({ ...QUARTER, duration: 'forever' }) }]
  await subscribeAtStripe(scenario, person, trader, { discounts })
  await scenario.settle()
  await testApp.pool.query('update subscriptions set renewal_cents = null where subscriber_id = $1', [
    person.userId,
  ])
  expect((await listed(person)).discount).toBeUndefined()
  await scenario.runScheduled(compareWithStripe)
  await scenario.settle()
  expect((await listed(person)).discount).toMatchObject({ cents: 750, thenCents: 1000 })
})

test('a discount goes on in the list when its coupon is deleted at Stripe', async () => {
  const id = await coupon({ ...QUARTER, duration: 'forever' })
  const { paid, pass, person } = await makeFollowing(scenario, { terms: { discounts: [{ coupon: id }] } })
  await stripe.coupons.del(id)
  await pass(31)
  expect((await listed(person)).discount).toMatchObject({ cents: 750, thenCents: 1000 })
  expect(await paid()).toEqual([750, 750])
})

test('a discount stays on a lower price of the trader’s, and on a higher one once it is agreed to', async () => {
  const { agree, name, pass, paid, person } = await makeFollowing(scenario, {
    terms: { discounts: [{ coupon: await coupon({ ...QUARTER, duration: 'forever' }) }] },
  })
  await name('8')
  expect((await listed(person)).discount).toMatchObject({ cents: 600, thenCents: 800 })
  await name('12')
  expect((await listed(person)).discount).toMatchObject({ cents: 600, thenCents: 800 })
  await agree(1200)
  expect((await listed(person)).discount).toMatchObject({ cents: 900, thenCents: 1200 })
  await pass(31)
  expect(await paid()).toEqual([750, 900])
})
