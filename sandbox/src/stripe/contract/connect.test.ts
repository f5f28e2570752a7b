import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { open, press, words } from './browser.ts'
import { control, passMonth, suite } from './cases.ts'
import { api, balance, newAccount, setScene, subscribe } from './scene.ts'
import type { TestWorld } from './world.ts'

const { both, here } = suite((key, target) => new Stripe(key, target), { test, beforeAll, afterAll })

const INCLUDE: ('configuration.recipient' | 'requirements')[] = ['configuration.recipient', 'requirements']

function account(name: string): Stripe.V2.Core.AccountCreateParams {
  return {
    contact_email: `${name}@example.com`,
    display_name: `@${name}`,
    dashboard: 'express',
    identity: { country: 'us' },
    configuration: {
      recipient: { capabilities: { stripe_balance: { stripe_transfers: { requested: true } } } },
    },
    defaults: {
      currency: 'usd',
      responsibilities: { fees_collector: 'application', losses_collector: 'application' },
    },
    metadata: { trader: name },
    include: INCLUDE,
  }
}

function transfersOf(found: Stripe.V2.Core.Account): string | undefined {
  return found.configuration?.recipient?.capabilities?.stripe_balance?.stripe_transfers?.status
}

both('a recipient account begins restricted, with what is missing', async (stripe, mark) => {
  const made = await stripe.v2.core.accounts.create(account(mark))
  expect([made.object, transfersOf(made), made.metadata]).toEqual([
    'v2.core.account',
    'restricted',
    { trader: mark },
  ])
  expect(made.requirements?.entries?.length).toBeGreaterThan(0)
  return made.configuration
})

both('parts that were not asked for are left out', async (stripe, mark) => {
  const { id } = await stripe.v2.core.accounts.create(account(mark))
  const bare = await stripe.v2.core.accounts.retrieve(id)
  expect(bare.configuration ?? null).toBeNull()
  const changed = await stripe.v2.core.accounts.update(id, {
    display_name: '@other',
    metadata: { trader: 'x' },
  })
  expect(changed.display_name).toBe('@other')
  return bare
})

both('an account is created once for one key', async (stripe, mark) => {
  const options = { idempotencyKey: `account-${mark}` }
  const first = await stripe.v2.core.accounts.create(account(mark), options)
  expect((await stripe.v2.core.accounts.create(account(mark), options)).id).toBe(first.id)
})

both('an old parameter of account creation is refused', async (stripe, mark) => {
  await expect(
    stripe.v2.core.accounts.create({ ...account(mark), type: 'express' } as never),
  ).rejects.toMatchObject({ statusCode: 400 })
})

both('a link to onboarding, and none for an unknown account', async (stripe, mark) => {
  const { id } = await stripe.v2.core.accounts.create(account(mark))
  const use_case = {
    type: 'account_onboarding' as const,
    account_onboarding: {
      refresh_url: 'https://example.com/r',
      return_url: 'https://example.com/b',
      collection_options: { fields: 'currently_due' as const },
    },
  }
  const link = await stripe.v2.core.accountLinks.create({ account: id, use_case })
  expect(new Date(link.expires_at).getTime()).toBeGreaterThan(new Date(link.created).getTime())
  await expect(stripe.v2.core.accountLinks.create({ account: 'acct_none', use_case })).rejects.toBeInstanceOf(
    Stripe.errors.StripeError,
  )
  return link
})

both('no way into the dashboard before onboarding', async (stripe, mark) => {
  const { id } = await stripe.v2.core.accounts.create(account(mark))
  await expect(stripe.accounts.createLoginLink(id)).rejects.toMatchObject({ statusCode: 400 })
})

both('a closed account is closed for good', async (stripe, mark) => {
  const { id } = await stripe.v2.core.accounts.create(account(mark))
  const closed = await stripe.v2.core.accounts.close(id, { applied_configurations: ['recipient'] })
  expect(closed.closed).toBe(true)
  await expect(stripe.v2.core.accounts.update(id, { display_name: 'x' })).rejects.toBeInstanceOf(
    Stripe.errors.StripeError,
  )
})

both('accounts are listed in pages', async (stripe, mark) => {
  for (const part of ['a', 'b', 'c']) await stripe.v2.core.accounts.create(account(`${mark}-${part}`))
  const page = await stripe.v2.core.accounts.list({ limit: 2 })
  expect(page.data).toHaveLength(2)
  const names: unknown[] = []
  for await (const one of stripe.v2.core.accounts.list({ limit: 2 }))
    if (names.push(one.display_name) === 3) break
  expect(names).toHaveLength(3)
})

async function onboard(world: TestWorld, id: string, button: string): Promise<string | null> {
  const link = await api<{ url: string }>(world, 'POST', '/v2/core/account_links', {
    account: id,
    use_case: {
      type: 'account_onboarding',
      account_onboarding: {
        refresh_url: 'http://localhost:9/refresh',
        return_url: 'http://localhost:9/return',
      },
    },
  })
  return (await press(await open(link.url), button)).location
}

here('onboarding ends by the button that was pressed', async (stripe, world) => {
  const id = await newAccount(world, 'states')
  const look = async () => {
    const found = await stripe.v2.core.accounts.retrieve(id, { include: INCLUDE })
    const capability = found.configuration?.recipient?.capabilities?.stripe_balance?.stripe_transfers
    return [
      capability?.status,
      capability?.status_details[0]?.code ?? null,
      found.requirements?.entries?.length ?? 0,
    ]
  }
  expect(await onboard(world, id, 'Leave')).toBe('http://localhost:9/return')
  expect(await look()).toEqual(['restricted', 'requirements_past_due', 3])
  await onboard(world, id, 'Ask for a document')
  expect(await look()).toEqual(['restricted', 'requirements_past_due', 1])
  await onboard(world, id, 'Submit for review')
  expect(await look()).toEqual(['pending', 'requirements_pending_verification', 0])
  await control(world, 'advance', { days: 1 })
  expect(await look()).toEqual(['active', null, 0])
  await control(world, 'restrict', { id })
  expect(await look()).toEqual(['restricted', 'requirements_past_due', 1])
  await onboard(world, id, 'Complete onboarding')
  expect(await look()).toEqual(['active', null, 0])
  await onboard(world, id, 'Reject the application')
  expect(await look()).toEqual(['rejected', 'rejected_other', 0])
})

here('a link works once and for five minutes', async (stripe, world) => {
  const id = await newAccount(world, 'link')
  const make = () =>
    stripe.v2.core.accountLinks.create({
      account: id,
      use_case: {
        type: 'account_onboarding',
        account_onboarding: {
          refresh_url: 'http://localhost:9/refresh',
          return_url: 'http://localhost:9/return',
        },
      },
    })
  const once = await make()
  expect(words(await open(once.url))).toContain('choose how it ends')
  expect((await open(once.url)).location).toBe('http://localhost:9/refresh')
  const late = await make()
  await control(world, 'advance', { seconds: 301 })
  expect((await open(late.url)).location).toBe('http://localhost:9/refresh')
})

here('the dashboard shows what was received; an account with money does not close', async (stripe, world) => {
  const scene = await setScene(world, 'dash')
  await subscribe(world, scene)
  const { url } = await stripe.accounts.createLoginLink(scene.account)
  expect(words(await open(url))).toContain('$9.00')
  const all = { applied_configurations: ['recipient' as const] }
  await expect(stripe.v2.core.accounts.close(scene.account, all)).rejects.toMatchObject({
    code: 'account_balance_not_zero',
  })
  await stripe.transfers.createReversal(
    String((await stripe.charges.list({ customer: scene.customer })).data[0]?.transfer),
    { amount: 900 },
  )
  expect(await balance(world, scene.account)).toBe(0)
  await expect(stripe.v2.core.accounts.close(scene.account)).rejects.toMatchObject({ statusCode: 400 })
  expect((await stripe.v2.core.accounts.close(scene.account, all)).closed).toBe(true)
})

here(
  'nobody can subscribe to a closed or restricted account, and a running subscription fails',
  async (stripe, world) => {
    const scene = await setScene(world, 'gone')
    const { id } = await subscribe(world, scene)
    await control(world, 'restrict', { id: scene.account })
    await expect(subscribe(world, scene)).rejects.toThrow('capabilities')
    await control(world, 'close', { id: scene.account })
    await passMonth(world)
    expect((await stripe.subscriptions.retrieve(id)).status).toBe('past_due')
  },
)
