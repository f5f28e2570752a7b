import Stripe from 'stripe'
import { afterEach, expect, test, vi } from 'vitest'
import { openWorld } from '../contract/world.ts'

afterEach(() => void vi.useRealTimers())

test('a world in which nothing is due reads a steady clock once a minute, and still does in time what is planned then', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  const now = vi.fn(() => new Date())
  await using world = await openWorld({ now, isSteady: true })
  const { coupons } = new Stripe('sk_test_sandbox', world.target)
  await vi.advanceTimersByTimeAsync(5000)
  now.mockClear()
  await vi.advanceTimersByTimeAsync(600_000)
  expect(now).toHaveBeenCalledTimes(10)

  const until = (seconds: number) => Math.floor(Date.now() / 1000) + seconds
  const [late, soon] = [
    await coupons.create({ percent_off: 10, duration: 'once', redeem_by: until(200) }),
    await coupons.create({ percent_off: 10, duration: 'once', redeem_by: until(20) }),
  ]
  const areValid = async () => [
    (await coupons.retrieve(soon.id)).valid,
    (await coupons.retrieve(late.id)).valid,
  ]
  await vi.advanceTimersByTimeAsync(18_000)
  expect(await areValid()).toEqual([true, true])
  await vi.advanceTimersByTimeAsync(4000)
  expect(await areValid()).toEqual([false, true])
  await vi.advanceTimersByTimeAsync(174_000)
  expect(await areValid()).toEqual([false, true])
  await vi.advanceTimersByTimeAsync(6000)
  expect(await areValid()).toEqual([false, false])
})
