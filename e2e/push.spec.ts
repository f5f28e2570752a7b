import type { Page } from '@playwright/test'
import { startPushService } from '../server/test/pushes/push-service.ts'
import { test as base, expect } from './fixtures.ts'
import { card, openWithPush, type TestPushService, turnOn, untilPushed } from './push-steps.ts'
import { signInByCode } from './sign-in-by-code.ts'
import { expectToast } from './toasts.ts'
import { landing } from './visiting-steps.ts'

const test = base.extend<{ service: TestPushService }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern to know what a fixture needs
  service: async ({}, use) => {
    const service = await startPushService()
    await use(service)
    await service.close()
    expect(service.breaches).toEqual([])
  },
})

test.use({ serviceWorkers: 'allow' })

test('turned on in the account, an open is shown by the service worker, replaced by its repeat, and leads to its item in Activity', {
  tag: ['@PUSH-01'],
}, async ({ people, publish, follow, openAs, service }) => {
  const [trader, fan] = [await people.join(), await people.join()]
  await follow(fan, trader)
  const push = await openWithPush(() => openAs(fan, '/account'), service)
  const { page } = push
  await expect(card(page).getByText('Off on this device.')).toBeVisible()
  await turnOn(page)
  await publish(trader, 'AAPL', 187.52, 'Earnings beat with rising margins.')
  await untilPushed(service, 1)
  expect(await push.deliver()).toBe(1)
  await expect.poll(() => push.shown()).toHaveLength(1)
  const [shown] = await push.shown()
  expect(shown).toMatchObject({
    title: `@${trader.username} opened AAPL`,
    body: 'A new position. Tap to see it.',
  })
  expect(JSON.stringify(shown)).not.toMatch(/187\.52|margins/)
  service.taken.push(...service.taken)
  expect(await push.deliver()).toBe(1)
  await publish(trader, 'MSFT', 400)
  await untilPushed(service, 3)
  await push.deliver()
  await expect
    .poll(async () => (await push.shown()).map(({ title }) => title).sort())
    .toEqual([`@${trader.username} opened AAPL`, `@${trader.username} opened MSFT`])
  await page.goto(new URL(shown?.path ?? '', page.url()).href)
  await expect(page).toHaveURL(/\/activity\?item=/)
  await expect(page.getByRole('dialog', { name: 'AAPL' })).toBeVisible()
})

test('a notification turns its device off in one tap, by what came with it alone', {
  tag: ['@PUSH-02'],
}, async ({ people, publish, follow, openAs, service, call }) => {
  const [trader, fan] = [await people.join(), await people.join()]
  await follow(fan, trader)
  const push = await openWithPush(() => openAs(fan, '/account'), service)
  const { page } = push
  await turnOn(page)
  await publish(trader, 'AAPL', 100)
  await untilPushed(service, 1)
  await push.deliver()
  await expect.poll(() => push.shown()).toHaveLength(1)
  await push.press('off')
  await expect(card(page).getByText('Off on this device.')).toBeVisible()
  await expect.poll(() => push.shown()).toEqual([])
  expect((await call(fan, 'GET', '/v1/push')).body).toMatchObject({ devices: [] })
})

test('the button that turns notifications on is outlined for somebody who follows nobody, and filled for a follower', async ({
  people,
  follow,
  openAs,
  service,
}) => {
  const [trader, fan] = [await people.join(), await people.join()]
  const background = (page: Page) =>
    card(page)
      .getByRole('button', { name: 'Turn on notifications' })
      .evaluate((button) => getComputedStyle(button).backgroundColor)
  const { page } = await openWithPush(() => openAs(fan, '/account'), service)
  const outlined = await background(page)
  expect(outlined).toBe(await page.evaluate(() => getComputedStyle(document.body).backgroundColor))
  await follow(fan, trader)
  await page.reload()
  await expect.poll(() => background(page)).not.toBe(outlined)
})

test('signing out ends the notifications of this browser, and nobody is notified of the traders whom the last one follows', {
  tag: ['@PUSH-03', '@phone'],
}, async ({ people, publish, follow, openAs, service, mailbox, product }) => {
  const [trader, fan] = [await people.join(), await people.join()]
  await follow(fan, trader)
  const push = await openWithPush(() => openAs(fan, '/account'), service)
  await turnOn(push.page)
  await push.page.getByRole('link', { name: 'Logout' }).last().click()
  await expect(landing(push.page)).toBeVisible()
  await expect.poll(() => push.isSubscribed()).toBe(false)
  expect(
    (await product.database.pool.query('select from push_devices where user_id = $1', [fan.id])).rowCount,
  ).toBe(0)
  await publish(trader, 'AAPL', 100)
  await mailbox.latest(fan.email, `@${trader.username} opened AAPL at $100.00`)
  await mailbox.untilNothingIsLeft()
  expect(service.asked.size).toBe(0)
})

test('other devices are listed and removed, and each trader has a switch', async ({
  people,
  follow,
  openAs,
  service,
  product,
  call,
}) => {
  const [trader, fan] = [await people.join(), await people.join()]
  await follow(fan, trader)
  const elsewhere = { ...fan, session: await signInByCode(product, fan.email) }
  const there = await openWithPush(() => openAs(elsewhere, '/account'), service)
  await turnOn(there.page)
  const { page } = await openWithPush(() => openAs(fan, '/account'), service)
  await turnOn(page)
  const others = card(page).getByRole('region', { name: 'Other devices' })
  await expect(others.getByRole('listitem')).toHaveCount(1)
  await others.getByRole('button', { name: 'Remove' }).click()
  await expect(others).toBeHidden()
  await expect(card(page)).toBeFocused()
  const toggle = card(page).getByRole('switch', { name: `@${trader.username}` })
  await expect(toggle).toBeChecked()
  await page.route('**/v1/subscriptions/*/push', (route) => route.fulfill({ status: 503, json: {} }))
  await toggle.click()
  await expectToast(page, 'Something went wrong, please try again.')
  await expect(toggle).toBeChecked()
  await page.unroute('**/v1/subscriptions/*/push')
  await toggle.click()
  await expect(toggle).not.toBeChecked()
  await expect
    .poll(async () => (await call(fan, 'GET', '/v1/push')).body)
    .toMatchObject({ traders: [{ pushEnabled: false }] })
  await card(page).getByRole('button', { name: 'Turn off' }).click()
  await expect(card(page).getByText('Off on this device.')).toBeVisible()
  await expect(toggle).toBeHidden()
})

test('a browser that blocks notifications, or knows none, shows that, and a refusal of the question changes nothing', async ({
  people,
  openAs,
  service,
}) => {
  const fan = await people.join()
  const blocked = await openWithPush(() => openAs(fan, '/account'), service, 'denied')
  await expect(card(blocked.page).getByText('Notifications of this site are blocked')).toBeVisible()
  await expect(card(blocked.page).getByRole('button')).toHaveCount(0)

  const asked = await openWithPush(() => openAs(fan, '/account'), service, 'default')
  await card(asked.page).getByRole('button', { name: 'Turn on notifications' }).click()
  await expect(card(asked.page).getByRole('button', { name: 'Turn on notifications' })).toBeEnabled()
  await expect(card(asked.page).getByText('Off on this device.')).toBeVisible()

  const page = await openAs(fan, '/account')
  await page.addInitScript(() => Reflect.deleteProperty(window, 'PushManager'))
  await page.reload()
  await expect(card(page).getByText('This browser cannot show notifications.')).toBeVisible()
})

test('a device that nothing reaches is shown as such, and turning it on again mends it', async ({
  people,
  openAs,
  service,
  product,
}) => {
  const fan = await people.join()
  const { page } = await openWithPush(() => openAs(fan, '/account'), service)
  await turnOn(page)
  await product.database.pool.query('update push_devices set failing_since = $2 where user_id = $1', [
    fan.id,
    product.now(),
  ])
  await page.reload()
  await expect(card(page).getByText('This device has not been reached since')).toBeVisible()
  await card(page).getByRole('button', { name: 'Turn on again' }).click()
  await expect(card(page).getByText('On for this device.')).toBeVisible()
})
