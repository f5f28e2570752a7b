import type { Page } from '@playwright/test'
import { wrongAuthenticatorCode } from '../server/test/sign-in/authenticator.ts'
import { expectAccessible as judgeThemes } from './accessible.ts'
import { nextCode } from './authenticator-steps.ts'
import { codeIn, expect, test } from './fixtures.ts'
import { type Answers, accountAnswers, answerWith, offerAnswers, subscriptionTo } from './payments-answers.ts'
import { askForCode } from './sign-in-steps.ts'
import { expectToast } from './toasts.ts'
import { fillInClose, nextMarketDay, startClosing } from './trading-steps.ts'
import { landing, NEUTRAL } from './visiting-steps.ts'

const WIDTHS = [1280, 768, 320]

test.use({ contextOptions: { reducedMotion: 'reduce' } })

/** Judges what stands on the screen, in both themes, at every width; at the smallest nothing may scroll sideways. */
async function expectAccessible(page: Page, what: string, widths = WIDTHS): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 })
    await judgeThemes(page, `${what}, ${width} px`)
    if (width > 320) continue
    const sideways = await page.evaluate(() => {
      scrollTo({ left: 1000, behavior: 'instant' })
      return Math.max(scrollX, document.documentElement.scrollWidth - document.documentElement.clientWidth)
    })
    expect(sideways, `${what} does not scroll sideways`).toBeLessThanOrEqual(0)
  }
}

test('every page of a visitor is accessible in both themes, from 320 px up', async ({
  openAs,
  product,
  mailbox,
}) => {
  const email = `reader-with-a-long-name-${process.pid}-${Date.now()}@people.example`
  const page = await openAs(null, '/')
  await expect(landing(page)).toBeVisible()
  await expectAccessible(page, 'landing page')
  await page.locator('summary[aria-label=Theme]').click()
  await expectAccessible(page, 'theme menu', [320])

  await page.goto(`${product.url}/login`)
  await page.getByRole('textbox', { name: 'E-mail' }).fill('abcde')
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByText("It looks like that didn't work.")).toBeVisible()
  await expectAccessible(page, 'e-mail step')
  await page.getByRole('textbox', { name: 'E-mail' }).fill(email)
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('textbox', { name: 'Code' })).toBeVisible()
  await expectAccessible(page, 'code step')

  const link = /\/login#\S+/.exec((await mailbox.latest(email)).text)?.[0] ?? ''
  const elsewhere = await openAs(null, link)
  await expect(elsewhere.getByText(email)).toBeVisible()
  await expectAccessible(elsewhere, 'link step')
  await elsewhere.goto(`${product.url}/no/such/place`)
  await expect(elsewhere.getByRole('heading', { name: 'There is nothing here' })).toBeVisible()
  await expectAccessible(elsewhere, 'unknown address')
})

test('every primitive, in both themes, from 320 px up', async ({ openStyles }) => {
  const page = await openStyles()
  await page.setViewportSize({ width: 1280, height: 800 })
  await expectAccessible(page, 'styles')
})

test.describe('every page of somebody signed in, in both themes, from 320 px up', () => {
  test('positions, the dialogs, the drawer and the trade page are accessible', async ({
    people,
    publish,
    follow,
    openAs,
    product,
  }) => {
    const [trader, reader] = [await people.join(), await people.join()]
    await follow(reader, trader)
    await publish(trader, 'NVDA', 187.5, `${'A long line without an end. '.repeat(8)}${'W'.repeat(120)}`)
    await publish(reader, 'AAPL', 201.25)
    const page = await openAs(reader, '/')
    await expect(page.getByRole('row')).toHaveCount(3)
    await expectAccessible(page, 'positions')
    await page.getByRole('button', { name: 'NVDA' }).click()
    await expect(page.getByRole('dialog', { name: 'NVDA' })).toBeVisible()
    await expectAccessible(page, 'position')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'AAPL' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Close Position' }).click()
    await expect(page.getByRole('button', { name: 'Submit' })).toBeVisible()
    await expectAccessible(page, 'close mode')
    await page.keyboard.press('Escape')

    await page.getByRole('button', { name: 'Menu' }).click()
    await expect(
      page.getByRole('dialog', { name: 'Menu' }).getByRole('link', { name: 'Search' }),
    ).toBeVisible()
    await expectAccessible(page, 'drawer', [767, 320])
    await page.keyboard.press('Escape')

    await page.goto(`${product.url}/trade`)
    await page.getByRole('textbox', { name: 'Ticker' }).fill('NOSUCH')
    await page.getByRole('button', { name: 'Check Price' }).click()
    await expect(page.getByRole('textbox', { name: 'Price' })).toHaveAttribute('aria-invalid', 'true')
    await expectAccessible(page, 'new position')
  })

  test('leaderboard, search, profile, subscribe, success and account are accessible', async ({
    people,
    publish,
    setTime,
    openAs,
    product,
  }) => {
    const [trader, reader] = [await people.join(), await people.join({ username: null })]
    await publish(trader, 'MSFT', 100)
    await setTime(nextMarketDay(product))
    const own = await openAs(trader, '/')
    const dialog = await startClosing(own, 'MSFT')
    await fillInClose(dialog)
    await dialog.getByRole('button', { name: 'Submit' }).click()
    await expectToast(own, 'Position for MSFT has been closed!')
    const page = await openAs(reader, '/leaderboard')
    const { username } = trader
    const screens: [path: string, heading: string][] = [
      ['/leaderboard', 'Leaderboard'],
      [`/search?username=${username}`, 'Search'],
      [`/trader/${username}`, username],
      [`/trader/${username}/subscribe`, `Subscribe to @${username}`],
      [`/payment/success?trader=${username}`, 'Success! Your subscription is complete.'],
      ['/account', 'Account'],
      ['/no/such/place', 'There is nothing here'],
    ]
    for (const [path, name] of screens) {
      await page.setViewportSize({ width: 1280, height: 800 })
      await page.goto(product.url + path)
      await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
      await expect(page.locator('main [aria-busy=true]')).toHaveCount(0)
      await expectAccessible(page, path)
    }
  })

  test('positions past their plan, offered traders, and the menu of a subscription are accessible', async ({
    people,
    follow,
    openAs,
    product,
  }) => {
    const widths = [1280, 320]
    const [trader, reader] = [await people.join(), await people.join()]
    await follow(reader, trader)
    await product.database.db
      .insertInto('trader_stats')
      .values({ trader_id: trader.id, closed_count: 1, open_count: 0, gain_sum: '5' })
      .execute()
    const page = await openAs(reader, NEUTRAL)
    const late = {
      id: 'late',
      active: true,
      stock: 'NVDA',
      holdLength: 'less_than_one_week',
      openNotes: 'Some notes.',
      openPrice: 187.5,
      openedAt: '2026-01-02T15:00:00.000Z',
      user: trader.username,
    }
    await page.route('**/v1/positions', (route) => route.fulfill({ json: { positions: [late] } }))
    await page.goto(product.url)
    await expect(page.getByRole('row', { name: 'NVDA' })).toContainText('public since Jan 10')
    await expectAccessible(page, 'a position past its plan', widths)
    await page.goto(`${product.url}/search`)
    await expect(page.getByRole('region', { name: 'Top of the leaderboard' })).toBeVisible()
    await expectAccessible(page, 'offered traders', widths)
    await page.getByRole('searchbox').fill(trader.username.slice(0, -1))
    await expect(page.getByRole('region', { name: 'Names that begin with' })).toBeVisible()
    await expectAccessible(page, 'names that begin so', [320])
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto(`${product.url}/trader/${trader.username}`)
    await page.locator('summary[aria-label="Your subscription"]').click()
    await expect(page.getByRole('link', { name: 'Their positions' })).toBeVisible()
    await expectAccessible(page, 'the menu of a subscription', widths)
  })

  test('the states of the payments screens are accessible', async ({ people, openAs, product }) => {
    const widths = [1280, 320]
    const page = await openAs(await people.join(), NEUTRAL)
    const failure = {
      status: 503,
      json: { message: 'Payments are unavailable right now, please try again.' },
    }
    const answers = { ...offerAnswers(false), ...accountAnswers({}), 'POST accounts/customer': failure }
    await answerWith(page, answers)
    async function visit(path: string, change: Answers = {}): Promise<void> {
      Object.assign(answers, change)
      await page.setViewportSize({ width: 1280, height: 800 })
      await page.goto(product.url + path)
    }
    await visit('/trader/maria/subscribe?canceled=1')
    await expect(page.getByText('The checkout was canceled.')).toBeVisible()
    await expectAccessible(page, 'an offer', widths)
    await page.getByRole('button', { name: 'Continue on Stripe' }).click()
    await expect(page.getByText('Payments are unavailable right now')).toBeVisible()
    await expectAccessible(page, 'an offer that failed', [320])
    await visit('/payment/success?trader=maria')
    await expect(page.getByText('Confirming your payment…')).toBeVisible()
    await expectAccessible(page, 'a payment being confirmed', [320])
    await visit('/trader/maria/subscribe', {
      'GET subscriptions/maria': { json: { subscribed: true, id: 'a', status: 'active' } },
    })
    await expect(page.getByRole('button', { name: 'Go back' })).toBeVisible()
    await expectAccessible(page, 'already subscribed', [320])

    await visit('/account')
    await expect(page.getByRole('checkbox')).toBeVisible()
    await expectAccessible(page, 'the terms of payouts', widths)
    const subscriptions = [
      subscriptionTo('a-name-of-15-ch', { endsAt: '2026-12-31T12:00:00.000Z', mailEnabled: false }),
      subscriptionTo('failing', { status: 'past_due' }),
      subscriptionTo('gone', { status: 'canceled' }),
    ]
    await visit('/account', {
      ...accountAnswers({ trader: true, customer: true, onboardComplete: true }),
      'GET subscriptions': { json: { subscriptions } },
    })
    await expect(page.getByText('Payment problem')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Stripe Dashboard' })).toBeVisible()
    await expectAccessible(page, 'subscriptions, and payouts that are set up')
  })

  test('two-step verification, the ways out, and the second step of signing in are accessible', async ({
    people,
    mailbox,
    openAs,
    product,
    setTime,
  }) => {
    const person = await people.join()
    const page = await openAs(person, '/account')
    await page.getByRole('button', { name: 'Set up two-step verification' }).click()
    const field = page.getByRole('textbox', { name: 'Code from the app' })
    const secret = (await page.getByText(/^([A-Z2-7]{4} ?){8}$/).innerText()).replaceAll(' ', '')
    await field.fill(wrongAuthenticatorCode(secret, product.now()))
    await page.keyboard.press('Enter')
    await expect(page.getByText('That code is not right.')).toBeVisible()
    await expectAccessible(page, 'set-up of the second step', [1280, 320])
    await field.fill(await nextCode(product, setTime, secret))
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Remove' }).click()
    await expect(page.getByRole('dialog', { name: 'Remove two-step verification?' })).toBeVisible()
    await expectAccessible(page, 'removal of the second step', [320])
    await page.keyboard.press('Escape')
    await expectAccessible(page, 'second step set up', [320])
    await page.getByRole('button', { name: 'Sign out everywhere' }).click()
    await expectAccessible(page, 'signing out everywhere', [320])
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('link', { name: 'Login' }).click()
    await mailbox.latest(person.email, 'Two-step verification was turned on')
    await askForCode(page, person.email)
    await expect.poll(async () => (await mailbox.all(person.email)).length).toBe(3)
    await page.getByRole('textbox', { name: 'Code' }).fill(codeIn(await mailbox.latest(person.email)))
    await page.keyboard.press('Enter')
    await page.getByRole('textbox', { name: 'Authenticator code' }).fill('no code')
    await page.keyboard.press('Enter')
    await expect(page.getByText("It looks like that didn't work.")).toBeVisible()
    await expectAccessible(page, 'second step of signing in', [320])
  })
})
