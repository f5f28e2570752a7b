import { expect, test } from 'vitest'
import { control, passMonth } from '../contract/cases.ts'
import { api, balance, setScene, subscribe } from '../contract/scene.ts'
import { makeTestClock, openInbox, openWorld } from '../contract/world.ts'
import { fields, number } from '../shape/shape.ts'

test('a month of many subscriptions passes in seconds, in the order of its times, to the cent', async () => {
  const many = Number(process.env.SANDBOX_SUBSCRIPTIONS || 200)
  const clock = makeTestClock()
  await using world = await openWorld(clock)
  const scene = await setScene(world, 'many')
  for (let n = 0; n < many; n++) {
    clock.move(7)
    await subscribe(world, scene)
  }
  const started = performance.now()
  const before = process.cpuUsage()
  await passMonth(world)
  const seconds = (performance.now() - started) / 1000
  const { user, system } = process.cpuUsage(before)
  const worked = (user + system) / 1e6
  console.log(
    `${many} subscriptions: a month in ${seconds.toFixed(2)} s, of which ${worked.toFixed(2)} s of work`,
  )
  // The work is bounded, not the wait for a processor that others use too.
  expect(worked).toBeLessThan(many / 20)
  expect(await balance(world, scene.account)).toBe(2 * many * 900)
  expect(await balance(world)).toBe(2 * many * 100)
  const renewals = world.world.db.all(
    fields({ created: number }),
    "SELECT created FROM objects WHERE type = 'invoice' AND json_extract(data, '$.billing_reason') = 'subscription_cycle' ORDER BY seq",
  )
  expect(renewals.map(({ created }) => created)).toEqual(
    renewals.map(({ created }) => created).sort((a, b) => a - b),
  )
  expect(new Set(renewals.map(({ created }) => created)).size).toBe(many)
}, 300_000)

test('things happen in the order of their times, although the clock moved once', async () => {
  const clock = makeTestClock()
  await using world = await openWorld(clock)
  const scene = await setScene(world, 'order')
  const failing = await subscribe(world, scene)
  await control(world, 'fail-next', { id: failing.id })
  clock.move(86_400)
  const ending = await subscribe(world, scene)
  await api(world, 'POST', `/v1/subscriptions/${ending.id}`, { cancel_at_period_end: true })
  await control(world, 'advance', { days: 60 })
  const { data } = await api<{ data: { type: string; created: number; data: { object: { id: string } } }[] }>(
    world,
    'GET',
    '/v1/events',
    {
      limit: 100,
      types: [
        'customer.subscription.deleted',
        'invoice.payment_failed',
        'invoice.paid',
        'customer.subscription.updated',
      ],
    },
  )
  const events = [...data].reverse()
  expect(events.map(({ created }) => created)).toEqual(
    events.map(({ created }) => created).sort((a, b) => a - b),
  )
  const failed = events.findIndex(({ type }) => type === 'invoice.payment_failed')
  const deleted = events.findIndex(({ type }) => type === 'customer.subscription.deleted')
  const recovered = events.findIndex(
    ({ type, created }) => type === 'invoice.paid' && created === (events[failed]?.created ?? 0) + 3 * 86_400,
  )
  expect([failed > 0, deleted > failed, recovered > deleted]).toEqual([true, true, true])
})

test('a clock that moves without an advance call has the same effect', async () => {
  const clock = makeTestClock()
  await using inbox = await openInbox()
  await using world = await openWorld(clock)
  await api(world, 'POST', '/v1/webhook_endpoints', { url: inbox.url, enabled_events: ['invoice.paid'] })
  await subscribe(world, await setScene(world, 'file'))
  await inbox.wait(1)
  clock.move(32 * 86_400)
  await inbox.wait(2)
  expect(inbox.types()).toEqual(['invoice.paid', 'invoice.paid'])
})
