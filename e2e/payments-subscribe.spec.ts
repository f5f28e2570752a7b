import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { CARDS, control, onboard, payWith } from './paying-steps.ts'
import { answerWith, offerAnswers, PROVIDER } from './payments-answers.ts'
import { NEUTRAL } from './visiting-steps.ts'

const ALREADY = 'You are already subscribed to this user.'
const CHECKOUT = `${PROVIDER}/c/pay/1`
const SUCCESS = [
  'Success!',
  'Your subscription is complete.',
  'Active positions for the trader appear on the home page and notifications will start.',
]

/** The message stands above the button, and the button can be pressed again. */
async function expectAbove(page: Page, message: string, button: string): Promise<void> {
  const [reason, go] = [page.getByText(message), page.getByRole('button', { name: button })]
  await expect(reason).toBeVisible()
  await expect(go).toBeEnabled()
  const [above, below] = [await reason.boundingBox(), await go.boundingBox()]
  expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0)
}

test('the subscribe page refuses oneself, a trader already followed and one who takes no subscribers', {
  tag: ['@SUB-01', '@SUB-02', '@SUB-03', '@SUB-04', '@SUB-05'],
}, async ({ people, follow, product, openAs }) => {
  const [trader, reader] = [await people.join(), await people.join()]
  await follow(reader, trader)
  const page = await openAs(reader, `/trader/${trader.username}/subscribe`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Subscribe to @${trader.username}`)
  await expect(page.getByText(ALREADY)).toBeVisible()
  // No page of the product lies before this one in the history.
  await page.getByRole('button', { name: 'Go back' }).click()
  await expect(page).toHaveURL(`${product.url}/trader/${trader.username}`)

  await page.goto(`${product.url}/leaderboard`)
  await page.goto(`${product.url}/trader/${trader.username}/subscribe`)
  await page.getByRole('button', { name: 'Go back' }).click()
  await page.waitForURL(`${product.url}/leaderboard`)

  await page.goto(`${product.url}/trader/${reader.username}/subscribe`)
  await expect(page.getByText('You cannot subscribe to your own account.')).toBeVisible()
  await expect(page.getByRole('main').getByRole('button')).toHaveCount(0)

  const owner = await openAs(trader, `/trader/${reader.username}/subscribe`)
  await expect(owner.getByText(ALREADY)).toBeVisible()
  await expect(owner.getByRole('button', { name: 'Go back' })).toBeVisible()
})

test('with billing set up, Continue goes to the checkout of this trader, once', { tag: ['@SUB-06'] }, async ({
  people,
  openAs,
  product,
}) => {
  const page = await openAs(await people.join(), NEUTRAL)
  const calls = await answerWith(page, {
    ...offerAnswers(true),
    'POST subscriptions/new': { json: { url: CHECKOUT } },
  })
  await page.goto(`${product.url}/trader/maria`)
  await page.getByRole('button', { name: 'Subscribe', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Subscribe to @maria')
  await expect(page.getByText('$10.00 a month')).toBeVisible()
  await expect(page.getByText('Sandbox: no real money moves. Test card: 4242 4242 4242 4242')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Continue', exact: true })).toHaveAccessibleDescription(
    'You pay by card at Stripe, where you agree to the terms. It renews each month, on the day of the first payment, until you cancel.',
  )
  const asked = page.waitForRequest('**/v1/subscriptions/new')
  await page.getByRole('button', { name: 'Continue', exact: true }).dblclick()
  expect((await asked).postDataJSON()).toEqual({
    username: 'maria',
    interval: 'month',
    priceCents: 1000,
  })
  await page.waitForURL(CHECKOUT)
  expect(calls.filter((call) => call.startsWith('POST'))).toEqual(['POST subscriptions/new'])
  expect(calls).toContain('GET subscriptions/maria')

  // Back from there: nothing turns, nothing was charged.
  await page.goto(`${product.url}/trader/maria/subscribe?canceled=1`)
  await expect(page.getByText('The checkout was canceled. Nothing has been charged.')).toBeVisible()
  await expect(page).toHaveURL(`${product.url}/trader/maria/subscribe`)
  await expect(page.getByRole('button', { name: 'Continue', exact: true })).not.toHaveAttribute('aria-busy')
})

test('without billing it is set up first, and what fails is shown above the button', {
  tag: ['@SUB-07', '@SUB-08', '@SUB-09', '@ERR-12'],
}, async ({ people, openAs, product }) => {
  const page = await openAs(await people.join(), NEUTRAL)
  const answers = {
    ...offerAnswers(false),
    'POST accounts/customer': { status: 502, json: { message: 'No billing today.' } },
    'POST subscriptions/new': { status: 409, json: { message: 'Not this trader.' } },
  }
  const calls = await answerWith(page, answers)
  const posts = () => calls.filter((call) => call.startsWith('POST'))
  await page.goto(`${product.url}/trader/maria/subscribe`)
  const go = page.getByRole('button', { name: 'Continue on Stripe' })
  await go.click()
  await expectAbove(page, 'No billing today.', 'Continue on Stripe')
  expect(posts()).toEqual(['POST accounts/customer'])

  Object.assign(answers, { 'POST accounts/customer': { json: { configured: true } } })
  await go.click()
  await expectAbove(page, 'Not this trader.', 'Continue on Stripe')
  await expect(page.getByText('No billing today.')).toBeHidden()

  Object.assign(answers, { 'POST subscriptions/new': { json: { url: CHECKOUT } } })
  calls.length = 0
  await go.click()
  await page.waitForURL(CHECKOUT)
  expect(posts()).toEqual(['POST accounts/customer', 'POST subscriptions/new'])
})

test('a checkout that Stripe refuses for good is not called a try away, and nothing was charged', async ({
  people,
  openAs,
  product,
}) => {
  const [trader, follower] = [await people.join(), await people.join()]
  await onboard(await openAs(trader, '/account'))
  const page = await openAs(follower, `/trader/${trader.username}/subscribe`)
  const refused = { kind: 'refuse', status: 400, method: 'POST', path: '/v1/checkout/sessions' }
  await control(product, 'fault', refused)
  await page.getByRole('button', { name: 'Continue on Stripe' }).click()
  await expectAbove(
    page,
    'Stripe refuses this, and trying again will not help. Nothing has been charged.',
    'Continue',
  )
  await expect(page.getByText('please try again')).toBeHidden()

  // The cause has been repaired.
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await payWith(page, CARDS.good)
  await page.waitForURL(/\/payment\/success/)
})

test('a trader who cannot be loaded can be tried again, and one who does not exist is named so', async ({
  people,
  openAs,
  product,
}) => {
  const page = await openAs(await people.join(), NEUTRAL)
  const answers = { 'GET accounts/profile': { status: 503, json: { message: 'Later.' } } }
  await answerWith(page, answers)
  await page.goto(`${product.url}/trader/maria/subscribe`)
  await expect(page.getByText('Later.')).toBeVisible()
  Object.assign(answers, { 'GET accounts/profile': { status: 404, json: { message: 'Nobody.' } } })
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText("That user doesn't seem to exist...")).toBeVisible()
  await expect(page.getByRole('link', { name: 'Find a trader by name' })).toBeVisible()
})

test('success shows its sentences, the trader and the way home, and is confirmed as soon as the server knows', {
  tag: ['@PAY-02'],
}, async ({ people, openAs, product }) => {
  const page = await openAs(await people.join(), NEUTRAL)
  const answers = { 'GET subscriptions/maria': { json: { subscribed: false, id: null, status: null } } }
  const calls = await answerWith(page, answers)
  await page.goto(`${product.url}/payment/success?trader=maria&session_id=cs_1`)
  const main = page.getByRole('main')
  for (const sentence of SUCCESS) await expect(main).toContainText(sentence)
  await expect(main.getByRole('link', { name: 'View @maria' })).toHaveAttribute('href', '/trader/maria')
  await expect(page.getByText('Confirming your payment…')).toBeVisible()
  Object.assign(answers, {
    'GET subscriptions/maria': { json: { subscribed: true, id: 'a', status: 'active' } },
  })
  await page.clock.runFor(2000)
  await expect(page.getByText('Confirmed.')).toBeVisible()
  const asked = calls.length
  await page.clock.runFor(10_000)
  expect(calls).toHaveLength(asked)
  await page.getByRole('button', { name: 'Go Home' }).click()
  await expect(page).toHaveURL(`${product.url}/`)
})

test('success asks for a subscription only with a trader, whose name is text and never markup', {
  tag: ['@SUB-16', '@PAY-01', '@PAY-03'],
}, async ({ people, openAs, product }) => {
  const page = await openAs(await people.join(), NEUTRAL)
  const checked: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/v1/subscriptions')) checked.push(request.url())
  })
  for (const trader of [
    '',
    '?trader=',
    '?trader=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E',
    '?trader=//evil.example',
  ]) {
    await page.goto(`${product.url}/payment/success${trader}`)
    for (const sentence of SUCCESS) await expect(page.getByRole('main')).toContainText(sentence)
    await expect(page.getByRole('main').getByRole('link')).toHaveCount(0)
    await expect(page.locator('main img')).toHaveCount(0)
  }
  expect(checked).toEqual([])
  await page.goto(`${product.url}/payment/success?trader=maria`)
  for (const sentence of SUCCESS) await expect(page.getByRole('main')).toContainText(sentence)
  await expect.poll(() => checked).toContain(`${product.url}/v1/subscriptions/maria`)
})

test('a payment that the server does not know of after half a minute is no longer asked for', async ({
  people,
  openAs,
  product,
}) => {
  const page = await openAs(await people.join(), NEUTRAL)
  const calls = await answerWith(page, offerAnswers(true))
  await page.goto(`${product.url}/payment/success?trader=maria`)
  await expect(page.getByText('Confirming your payment…')).toBeVisible()
  await page.clock.runFor(31_000)
  await expect(page.getByText('You do not follow @maria yet.')).toBeVisible()
  await expect(page.getByText('If you have paid, your subscription starts')).toBeVisible()
  await page.clock.runFor(60_000)
  // One call at once, one every two seconds of the half minute, and none in the sixty seconds after.
  expect(calls.filter((call) => call === 'GET subscriptions/maria').length).toBeLessThan(20)
})
