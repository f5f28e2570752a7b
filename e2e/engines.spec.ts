import { expect, test } from '@playwright/test'
import { recordSubscription } from '../server/src/billing/entitlements/entitlement.ts'
import { withTransaction } from '../server/src/platform/database/queryable.ts'
import { ENGINES, inEngine } from './engines/all-engines.ts'
import { handsOn } from './engines/engine.ts'
import { STEPS, type World } from './engines/steps.ts'
import { control } from './paying-steps.ts'
import { type Product, startProduct } from './product.ts'
import { codeIn, mailsTo, signInByCode } from './sign-in-by-code.ts'

const DAY_MS = 86_400_000

/** Other browsers run by the machine's clock, and no other test moves the clock of this product. */
let product: Product
test.describe.configure({ mode: 'default' })
test.beforeAll(async () => {
  product = await startProduct({ MARKET_OVERRIDE: 'hours' })
  product.setTime(new Date())
})
test.afterAll(() => product?.stop())

async function join(name: string) {
  const email = `${name}@people.example`
  const { access_token: token, user } = await signInByCode(product, email)
  await call(token, 'accounts/username', { username: name })
  return { email, id: user.id, name, token }
}

async function call(token: string, path: string, body: object): Promise<unknown> {
  const answer = await fetch(`${product.url}/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  })
  const answered = await answer.json()
  expect(answer.ok, JSON.stringify(answered)).toBe(true)
  return answered
}

async function publish(token: string, symbol: string): Promise<void> {
  const { key } = (await call(token, 'positions/preview', { symbol })) as { key: string }
  const length = { openNotes: 'Orders rise.', positionLength: 'one_to_three_weeks' }
  await call(token, 'positions/open', { symbol, key, ...length })
}

/** Their payouts are set up, and people can subscribe to them. */
async function offer({ id, token }: { id: string; token: string }): Promise<void> {
  await call(token, 'accounts/trader', {})
  const { rows } = await product.database.pool.query<{ id: string }>(
    'select stripe_account_id as id from payout_accounts where user_id = $1',
    [id],
  )
  await control(product, 'restore', { id: rows[0]?.id })
  const prices = () =>
    product.database.pool.query('select 1 from trader_prices where trader_id = $1 and retired_at is null', [
      id,
    ])
  await expect.poll(async () => (await prices()).rowCount).toBe(1)
}

async function makeWorld(engine: string): Promise<World> {
  const of = (who: string) => `${who}-${engine.toLowerCase()}`
  const [trader, offered] = [await join(of('karl')), await join(of('otto'))]
  await offer(offered)
  const username = of('maria')
  const email = `${username}@people.example`
  return {
    product,
    email,
    username,
    trader: trader.name,
    offered: offered.name,
    async code() {
      await expect.poll(async () => (await mailsTo(product, email)).length).toBeGreaterThan(0)
      return (await mailsTo(product, email)).map(codeIn)[0] ?? ''
    },
    async hold(symbol) {
      const { access_token: token } = await signInByCode(product, email)
      const now = product.now()
      product.setTime(new Date(now.getTime() - DAY_MS))
      await publish(token, symbol)
      product.setTime(now)
    },
    async follow() {
      const { id } = await product.database.db
        .selectFrom('users')
        .select('id')
        .where('email', '=', email)
        .executeTakeFirstOrThrow()
      const terms = { status: 'active', priceCents: 1000, currency: 'usd', currentPeriodEnd: null } as const
      const people = { traderId: trader.id, subscriberId: id, cancelAt: null, stripeSubscriptionId: null }
      await withTransaction(product.database.db, (tx) =>
        recordSubscription(tx, { ...people, ...terms }, product.now()),
      )
    },
    publish: (symbol) => publish(trader.token, symbol),
  }
}

for (const { name, start } of ENGINES)
  test(`the main journey in ${name}`, ({ browser }) =>
    inEngine(
      () => start(browser),
      async (driver, round) => {
        const world = await makeWorld(round === 1 ? name : `${name}-${round}`)
        const page = handsOn(driver, product.url)
        for (const step of STEPS) await test.step(step.title, () => step.do(page, world))
      },
    ))
