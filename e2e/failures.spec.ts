import type { Page } from '@playwright/test'
import { CALLS } from './every-screen.ts'
import { expect, test } from './fixtures.ts'
import { accountAnswers, answerWith, subscriptionTo } from './payments-answers.ts'
import { keepFeedAway, NEUTRAL } from './visiting-steps.ts'

const FALLBACK = 'Something went wrong, please try again.'

async function tryAgain(page: Page): Promise<void> {
  await page.getByRole('main').getByRole('button', { name: 'Try again' }).press('Enter')
  // The button is gone with what it stood in; a keyboard goes on from the content.
  await expect(page.getByRole('main')).toBeFocused()
}

test('without a network, and while the API fails, every screen shows that and how to go on, and that works', {
  tag: ['@ERR-16'],
}, async ({ everyScreen, product, openAs }) => {
  const { reader, screens } = everyScreen
  const page = await openAs(reader, NEUTRAL)
  // A page without a network has no live feed either; once one is open, the page asks again by itself, and takes the button away.
  await keepFeedAway(page)
  let online = false
  const answered = () => page.waitForResponse((response) => CALLS(new URL(response.url())))
  for (const { path, loaded, failed, goOn = tryAgain } of screens) {
    online = false
    await page.route(CALLS, (route) =>
      online ? route.fulfill({ status: 500, json: {} }) : route.abort('internetdisconnected'),
    )
    await page.goto(product.url + path)
    const failure = failed?.(page) ?? page.getByRole('main').getByRole('alert').getByText(FALLBACK)
    await expect(failure, path).toBeVisible()
    await expect(page.getByRole('heading', { level: 1 }), path).toBeVisible()
    await expect(page.getByRole('link', { name: 'Logout' })).toBeVisible()
    online = true
    await Promise.all([answered(), goOn(page)])
    await expect(failure, path).toBeVisible()
    await expect(loaded(page), path).toHaveCount(0)
    await page.unroute(CALLS)
    await goOn(page)
    await expect(loaded(page), path).toBeVisible()
    await expect(failure, path).toHaveCount(0)
  }
})

test('each part of the account page fails and recovers separately', async ({ people, openAs, product }) => {
  const page = await openAs(await people.join(), NEUTRAL)
  const account = accountAnswers({ trader: true, customer: true, onboardComplete: true })
  const parts = {
    'GET accounts/stripe/status': account['GET accounts/stripe/status'],
    'GET accounts/desk': account['GET accounts/desk'],
    'GET accounts/desk/payouts': account['GET accounts/desk/payouts'],
    'GET subscriptions': { json: { subscriptions: [subscriptionTo('maria')] } },
  }
  const broken = Object.fromEntries(Object.keys(parts).map((call) => [call, { status: 500, json: {} }]))
  const answers = { ...account, ...broken }
  await answerWith(page, answers)
  await page.route('**/auth/v1/user', (route) => route.abort())
  await page.goto(`${product.url}/account`)
  await expect(page.getByRole('region', { name: 'Feedback' })).toBeVisible()
  // Three retries with back-off, for those that have them (docs/specification.md section 9).
  await page.clock.runFor(10_000)
  const again = page.getByRole('button', { name: 'Try again' })
  await expect(again).toHaveCount(4)
  Object.assign(answers, parts)
  await page.unroute('**/auth/v1/user')
  for (const [name, shown] of [
    ['Two-step verification', page.getByRole('button', { name: 'Set up two-step verification' })],
    ['Subscriptions', page.getByText('Subscribers: 3')],
    ['Subscriptions', page.getByRole('link', { name: 'maria' })],
    ['Payments', page.getByRole('button', { name: 'Stripe Dashboard' })],
  ] as const) {
    const section = page.getByRole('region', { name, exact: true })
    await section.getByRole('button', { name: 'Try again' }).first().press('Enter')
    await expect(section).toBeFocused()
    await expect(shown).toBeVisible()
  }
  await expect(again).toHaveCount(0)
})

test.describe('before the code of a screen is there', () => {
  test.use({ coldBrowser: true })

  test('a screen whose code cannot be fetched shows the failure, stays itself without a network, and loads by itself when there is one', async ({
    people,
    openAs,
    product,
  }) => {
    const page = await openAs(await people.join(), '/')
    await expect(page.getByText('No positions available.')).toBeVisible()
    await page.context().setOffline(true)
    await page.getByRole('link', { name: 'Leaderboard' }).click()
    const failure = page.getByRole('alert').getByText(FALLBACK)
    await expect(failure).toBeVisible()
    const again = page.getByRole('button', { name: 'Try again' })
    const asked = page.waitForEvent('requestfailed')
    await again.click()
    await asked
    await expect(again).not.toHaveAttribute('aria-busy')
    await expect(failure).toBeVisible()
    await page.context().setOffline(false)
    await expect(page.getByRole('heading', { name: 'Leaderboard' })).toBeVisible()
    await expect(page).toHaveURL(`${product.url}/leaderboard`)
    await expect(page.getByText('Ranked by what closed positions really returned.')).toBeVisible()
  })
})
